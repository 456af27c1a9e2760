points = [(2, "b"), (1, "z"), (2, "a")]
print(sorted(points), (1, 2) < (1, 2, 0), (1,) + (2,), (0,) * 3, tuple("ab"))
visits = {}
for point in [(0, 0), (0, 1), (0, 0)]:
    visits[point] = visits.get(point, 0) + 1
print(visits, hash((1, 2)) == hash((1, 2)), (1, 2, 1).count(1), (5, 6).index(6))
try:
    (1, 2)[0] = 3
except TypeError as error:
    print(error)
try:
    hash(([],))
except TypeError as error:
    print("TypeError")
t = ([1], 2)
t[0].append(9)
print(t, len(()), (1,), ())
a, b = 1, 2
a, b = b, a
print(a, b, max((1, "x"), (2, "a")), min([(3, 1), (2, 9)]))
