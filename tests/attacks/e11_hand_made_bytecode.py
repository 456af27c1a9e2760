# row: E11
# outcome: ok python_error guest_trap
# flags: --fuel 3000000000
# about: random bytes as code crash the run at worst, and leave no path of the building machine behind
import random

random.seed(1)


def target(a, b=1):
    return [a + x for x in range(b)]


code = target.__code__
for _ in range(3000):
    size = random.randrange(2, 40) & ~1
    try:
        target.__code__ = code.replace(co_code=random.randbytes(size), co_stacksize=random.randrange(50))
        target(1)
    except Exception:
        pass
result = "alive"
