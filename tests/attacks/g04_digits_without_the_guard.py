# row: G04
# outcome: fuel_exhausted
# flags: --fuel 3000000000
# about: with the digit guard off, text of a million-digit integer is slow at worst
import sys

sys.set_int_max_str_digits(0)
result = len(str(10**3_000_000))
