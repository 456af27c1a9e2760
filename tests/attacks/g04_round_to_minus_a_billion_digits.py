# row: G04
# outcome: memory_limit
# flags: --fuel 3000000000
# about: rounding a small integer to far left of the point needs no power of ten of that size
import sys

leaks = []
for digits in (-(10**6), -(10**18), -sys.maxsize):
    try:
        if round(12345, digits) != 0:
            leaks.append(digits)
    except (OverflowError, MemoryError, ValueError):
        pass
result = leaks
