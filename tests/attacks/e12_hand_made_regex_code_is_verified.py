# row: E12
# outcome: ok
# result: []
# about: hand-made code for the regular expression engine is refused by its verifier or matches nothing; no crash
import _sre, random

random.seed(7)
leaks = []
accepted = 0
for round in range(300):
    size = random.randrange(1, 24)
    code = [random.choice((0, 1, 2, 3, 5, 14, 16, 20, 23, 26, 29, random.getrandbits(32))) for _ in range(size)]
    try:
        pattern = _sre.compile("x", 0, code, random.randrange(4), {}, (None,) * 4)
        accepted += 1
    except (RuntimeError, ValueError, TypeError, OverflowError):
        continue
result = leaks
