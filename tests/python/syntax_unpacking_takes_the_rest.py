first, *middle, last = range(6)
print(first, middle, last)
(a, b), c = ("xy", 3)
print(a, b, c)
*start, end = "only"
print(start, end)
merged = {**{"a": 1, "b": 2}, "b": 3, **{"c": 4}}
print(merged, [*range(3), *"ab"], (*[1], 2))
def report(title, *rows, sep="|", **options):
    return f"{title}: {sep.join(map(str, rows))} {sorted(options.items())}"
print(report("t", *[1, 2], 3, sep="-", **{"width": 4, "align": "left"}))
for key, (low, high) in {"x": (1, 2), "y": (3, 4)}.items():
    print(key, low + high)
try:
    one, two = [1, 2, 3]
except ValueError:
    print("too many")
try:
    one, two, *rest = [1]
except ValueError as error:
    print(error)
