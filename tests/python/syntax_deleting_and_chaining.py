a = b = [1, 2, 3, 4, 5]
a += [6]
print(b, a is b)
del a[1:3], b[-1]
print(a)
x = 5
print(1 < x <= 5 != 6, 1 < x > 3, not (x < 3 or x > 9))
print("yes" if x else "no", x and "last", None or [] or "fallback")
d = {"a": 1}
del d["a"]
try:
    del d["a"]
except KeyError as error:
    print("KeyError", error)
i = 0
grid = [[0] * 3 for _ in range(2)]
i, grid[i][1] = 1, "set"
print(grid, i)
grid[0][0], grid[1][2] = grid[1][2], 9
print(grid)
print(0b1011, 0o17, 0xFF, 1_000_000, 1e3, 2 ** -1, 7 // -2, 7 % -2, -7 // 2)
print(1 if 0 else 2 if 0 else 3, [1, 2][True], "ab" "cd")
