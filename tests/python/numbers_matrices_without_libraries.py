from fractions import Fraction
def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]
def power(m, n):
    result = [[int(i == j) for j in range(len(m))] for i in range(len(m))]
    while n:
        if n & 1:
            result = multiply(result, m)
        m, n = multiply(m, m), n >> 1
    return result
print(multiply([[1, 2], [3, 4]], [[5, 6], [7, 8]]), power([[1, 1], [1, 0]], 90)[0][1])
def determinant(m):
    m, sign, product = [list(map(Fraction, row)) for row in m], 1, Fraction(1)
    for c in range(len(m)):
        pivot = next((r for r in range(c, len(m)) if m[r][c]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != c:
            m[c], m[pivot], sign = m[pivot], m[c], -sign
        product *= m[c][c]
        for r in range(c + 1, len(m)):
            factor = m[r][c] / m[c][c]
            m[r] = [x - factor * y for x, y in zip(m[r], m[c])]
    return sign * product
print(determinant([[2, 0, 1], [1, 3, 2], [1, 1, 4]]), determinant([[1, 2], [2, 4]]))
def newton(f, x, steps=20):
    for _ in range(steps):
        slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        x -= f(x) / slope
    return x
print(round(newton(lambda x: x * x - 2, 1), 9), round(newton(lambda x: x ** 3 - x - 2, 1.5), 8))
print(round(sum(((i + 0.5) / 1000) ** 2 for i in range(1000)) / 1000, 6), [list(row) for row in zip(*[[1, 2], [3, 4]])])
def to_base(n, base, digits="0123456789abcdefghijklmnopqrstuvwxyz"):
    return to_base(n // base, base) + digits[n % base] if n >= base else digits[n]
print(to_base(255, 16), to_base(10 ** 12, 36), int(to_base(12345, 7), 7))
def roman(n):
    out = ""
    for value, text in zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split()):
        out += text * (n // value)
        n %= value
    return out
print(roman(1994), roman(2024))
