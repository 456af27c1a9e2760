# row: G04
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: a fraction that squares itself grows until a limit holds
from fractions import Fraction

value = Fraction(3, 7)
while True:
    value *= value + 1
