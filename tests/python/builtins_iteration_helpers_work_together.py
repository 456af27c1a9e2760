names = ["a", "b", "c"]
print(list(enumerate(names, start=1)), dict(zip(names, range(3))))
try:
    list(zip(names, [1], strict=True))
except ValueError as error:
    print(error)
print(list(map(lambda x, y: x * y, [1, 2, 3], [4, 5])), list(filter(None, [0, 1, "", "x", None])))
print(all([]), any([]), all(x > 0 for x in (1, 2)), sum([[1], [2]], []), sum([0.1] * 10))
it = iter([1, 2, 3])
print(next(it), list(it), next(it, "done"))
print(list(iter([4, 3, 0, 2].pop, 0)))
print(range(10)[2:8:3], 7 in range(1, 10, 2), len(range(0, 100, 7)), range(5)[-1], list(range(5, 0, -2)))
print(divmod(17, 5), pow(2, 10, 1000), pow(3, -1, 11), abs(-3.5), round(2.5), round(3.5), round(1234.567, -2))
print(ord("€"), chr(8364), hex(255), oct(8), bin(10), hash(1) == hash(1.0))
print(callable(len), isinstance(True, int), issubclass(bool, (str, int)), type(3).__name__)
