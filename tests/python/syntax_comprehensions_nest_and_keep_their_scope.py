matrix = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
x = "outer"
flat = [x for row in matrix for x in row if x % 2]
print(flat, x)
transposed = [[row[i] for row in matrix] for i in range(3)]
print(transposed)
index = {word: len(word) for word in "the quick brown fox".split()}
print(index, {n % 3 for n in range(10)} == {0, 1, 2})
lazy = (n * n for n in range(5))
print(next(lazy), sum(lazy))
# A comprehension in a class body sees only its first iterable.
class Table:
    columns = ["id", "name"]
    upper = [c.upper() for c in columns]
print(Table.upper)
functions = [lambda i=i: i * 10 for i in range(3)]
print([f() for f in functions])
late = [lambda: i for i in range(3)]
print([f() for f in late])
