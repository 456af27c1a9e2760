values = [0.1, 1 / 3, 2 / 3, 1e16, 1e15, 123456789012345680.0, 1e-5, 0.0001, 5e-324, 1.7976931348623157e308, -0.0, 100.0]
print(values)
print(0.1 + 0.2, 0.1 * 3, 1.1 + 2.2, 3.0 * 1.1, 1e308 * 10, -1e308 * 10)
print(round(2.675, 2), round(0.5), round(1.5), round(-2.5), round(1e20), round(1234.5678, 2), round(15, -1))
print((0.5).as_integer_ratio(), (3.0).is_integer(), (2.5).hex(), float.fromhex("0x1.8p1"))
nan, inf = float("nan"), float("inf")
print(nan == nan, nan != nan, inf > 1e308, inf - inf, min(1, nan), [nan] == [nan])
print(7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2, divmod(7.5, 2), 2.0 ** 3, int(1e20))
try:
    int(inf)
except OverflowError as error:
    print(error)
try:
    2.0 ** 10000
except OverflowError as error:
    print("OverflowError")
print(complex(3, 4) * 1j, abs(3 + 4j), (1 + 2j).conjugate(), complex(1, -0.5))
