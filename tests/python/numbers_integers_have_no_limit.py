import math
n = 2 ** 200
print(n, len(str(n)), n.bit_length(), n % 1_000_007, n // 3 ** 50)
print(math.factorial(30), math.comb(100, 50), math.gcd(2 ** 60, 6 ** 20), math.isqrt(10 ** 40))
a, b = 0, 1
for _ in range(150):
    a, b = b, a + b
print(a)
print((-7) // 2, -7 % 3, divmod(-7, 3), 7 // -2, int(-7 / 2), -2 ** 2, (-2) ** 3, 2 ** 0.5)
print(1 << 70, (1 << 70) >> 68, ~5, 6 & 3, 6 | 3, 6 ^ 3, -1 >> 3, (-8) >> 1)
print(pow(7, 10 ** 18, 998244353), int("123456789" * 5) * 987654321)
for bad in ("1 // 0", "1 % 0", "1.0 / 0", "0 ** -1"):
    try:
        eval(bad)
    except ZeroDivisionError as error:
        print(bad, type(error).__name__)
try:
    1 << -1
except ValueError as error:
    print(error)
