want, have = {"read", "write", "admin"}, {"read", "write", "audit"}
print(sorted(want & have), sorted(want | have), sorted(want - have), sorted(want ^ have))
print({1, 2} <= {1, 2, 3}, {1, 2} < {1, 2}, {1}.isdisjoint({2}), {1, 2} == {2, 1})
s = set("hello")
s.discard("z")
s.add("w")
print(len(s), "l" in s, sorted(s))
try:
    s.remove("z")
except KeyError as error:
    print("KeyError", error)
s -= {"h"}
s.update("xy", [1])
print(len(s), frozenset([1, 2]) | {3} == {1, 2, 3}, {frozenset({1}): "ok"}[frozenset([1])])
seen, unique = set(), []
for item in [3, 1, 3, 2, 1]:
    if item not in seen:
        seen.add(item)
        unique.append(item)
print(unique, list(dict.fromkeys("mississippi")), set(), {*()} == set())
