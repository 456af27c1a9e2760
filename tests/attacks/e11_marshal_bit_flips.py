# row: E11
# outcome: ok python_error guest_trap
# flags: --fuel 5000000000
# about: damaged marshalled code is refused, runs, or crashes the run
import marshal, random

random.seed(2)
source = "def f(a, b=2):\n    try:\n        return [a for _ in range(b)]\n    finally:\n        a = {1: (b, 'x')}\nf(1)\n"
good = marshal.dumps(compile(source, "x", "exec"))
for _ in range(2000):
    bad = bytearray(good)
    for _ in range(random.randrange(1, 4)):
        bad[random.randrange(len(bad))] = random.getrandbits(8)
    try:
        code = marshal.loads(bytes(bad))
        exec(code, {})
    except Exception:
        pass
result = "alive"
