# row: E12
# outcome: ok python_error guest_trap
# flags: --fuel 2000000000
# about: running regular expression code nobody compiled may crash the run and nothing else
import _sre, random

random.seed(11)
for round in range(2000):
    size = random.randrange(1, 24)
    code = [random.choice((0, 1, 2, 3, 5, 14, 16, 20, 23, 26, 29, random.getrandbits(32))) for _ in range(size)]
    try:
        _sre.compile("x", 0, code, 3, {}, (None,) * 4).search("xxxx" * 8)
    except Exception:
        pass
result = None
