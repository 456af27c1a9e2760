from fractions import Fraction as F
print(F(1, 3) + F(1, 6), F(6, 4), F("3/7"), F("0.125"), F(0.5), F(1, 3) * 3 == 1, -F(1, 2), F(7, 2) // 1, F(7, 2) % 1)
print(F(3, 4) ** 2, F(4, 9) ** 0.5, float(F(1, 3)), round(F(22, 7), 3), int(F(7, 2)), F(22, 7).limit_denominator(5))
print(F(3.141592653589793).limit_denominator(1000), F(5, 10).numerator, F(5, 10).denominator, sorted([F(1, 2), F(1, 3), 0.4]))
total = sum(F(1, n) for n in range(1, 11))
print(total, float(total), repr(total))
try:
    F(1, 0)
except ZeroDivisionError as error:
    print(error)
def egyptian(f):
    parts = []
    while f:
        d = -(-f.denominator // f.numerator)
        parts.append(F(1, d))
        f -= F(1, d)
    return parts
print(egyptian(F(7, 15)), F.from_float(0.1).denominator, hash(F(2)) == hash(2), F(1, 2) < 0.6)
