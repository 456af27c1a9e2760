# row: E11
# outcome: guest_trap python_error ok
# about: damage in three places of marshalled code; what it makes the interpreter do stays inside its own memory
import marshal

source = "class A(int):\n def f(self,*a,k=1,**d):\n  try:\n   yield [a for _ in range(3)]\n  except (ValueError,TypeError) as e:\n   raise\n  finally:\n   a={1:(k,'x',1.5,b'y',2j,10**30)}\nlist(A().f(2))\n"
code = bytearray(marshal.dumps(compile(source, "x", "exec")))
code[251], code[41], code[42] = 248, 87, 57
exec(marshal.loads(bytes(code)), {})
