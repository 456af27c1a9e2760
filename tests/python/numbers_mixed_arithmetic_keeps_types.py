from decimal import Decimal
from fractions import Fraction
import numbers
print(1 + 2.0, True + 1, 3 * Fraction(1, 3), Fraction(1, 2) + 0.5, Decimal(1) + 2, 1 + 2j)
print(1 == 1.0 == True == Fraction(1) == Decimal(1), hash(1) == hash(Fraction(1)) == hash(Decimal(1)))
print({1: "a", 1.0: "b", True: "c"})
print(isinstance(3, numbers.Integral), isinstance(3.0, numbers.Real), isinstance(Fraction(1), numbers.Rational))
try:
    Decimal(1) + 1.5
except TypeError as error:
    print("TypeError")
print(type(5 / 1), type(5 // 1), type(5 // 1.0), type(2 ** -1), type(2 ** 2))
print(10 ** 20 == 1e20, 10 ** 23 == 1e23, 2 ** 53 + 1 == float(2 ** 53 + 1), 0.1 == Fraction(1, 10))
print(max(1, 2.5, Fraction(7, 2)), sorted([Decimal("1.5"), 1, 2.25]))
