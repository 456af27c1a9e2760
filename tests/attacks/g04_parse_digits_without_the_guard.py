# row: G04
# outcome: fuel_exhausted
# flags: --fuel 3000000000
# about: parsing two million digits is slow at worst
import sys

sys.set_int_max_str_digits(0)
int("9" * 2_000_000) > 0
