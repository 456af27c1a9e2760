import itertools as it
print(list(it.chain([1], (2, 3), "a")), list(it.chain.from_iterable([[1], [2, 3]])))
print(list(it.islice(it.count(10, 5), 3)), list(it.islice("abcdefg", 1, 6, 2)))
print(list(it.accumulate([1, 2, 3, 4])), list(it.accumulate([3, 1, 5], max)), list(it.accumulate([1, 2], initial=100)))
rows = [("web", 1), ("web", 2), ("api", 3), ("web", 4)]
for key, group in it.groupby(sorted(rows), key=lambda r: r[0]):
    print(key, [n for _, n in group])
print(list(it.product("ab", [1, 2])), list(it.permutations([1, 2, 3], 2))[:3], list(it.combinations("abcd", 2))[:3])
print(list(it.combinations_with_replacement("ab", 2)), list(it.zip_longest([1, 2, 3], "a", fillvalue="-")))
print(list(it.takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(it.dropwhile(lambda x: x < 3, [1, 2, 3, 1])))
print(list(it.compress("abcd", [1, 0, 1, 0])), list(it.filterfalse(str.isdigit, "a1b2")), list(it.starmap(pow, [(2, 3), (3, 2)])))
print(list(it.pairwise("abcd")), list(it.repeat("x", 2)), list(it.islice(it.cycle("ab"), 5)))
a, b = it.tee(iter([1, 2, 3]))
print(next(a), list(b), list(a), len(list(it.product(range(10), repeat=3))))
