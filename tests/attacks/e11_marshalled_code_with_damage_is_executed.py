# row: E11
# outcome: python_error guest_trap
# about: one flipped byte in marshalled code sends an indirect call to the wrong function; wasm stops it
import marshal

source = "def f(a):\n    try:\n        return [a for _ in range(3)]\n    finally:\n        a = {1: 'x'}\nf(1)\n"
good = marshal.dumps(compile(source, "x", "exec"))
for position in range(len(good)):
    bad = bytearray(good)
    bad[position] ^= 0xFF
    try:
        exec(marshal.loads(bytes(bad)), {})
    except Exception:
        pass
raise SystemExit("survived")
