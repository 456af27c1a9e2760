from functools import lru_cache
def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]
print(edit_distance("kitten", "sitting"), edit_distance("", "abc"), edit_distance("flaw", "lawn"))
@lru_cache(None)
def coins(amount, kinds=(1, 5, 10, 25)):
    if amount == 0:
        return 1
    if amount < 0 or not kinds:
        return 0
    return coins(amount - kinds[-1], kinds) + coins(amount, kinds[:-1])
print(coins(100), coins(7))
def knapsack(items, capacity):
    best = {0: (0, ())}
    for name, weight, value in items:
        for used, (total, chosen) in sorted(best.items(), reverse=True):
            if used + weight <= capacity and best.get(used + weight, (-1,))[0] < total + value:
                best[used + weight] = (total + value, chosen + (name,))
    return max(best.values())
print(knapsack([("a", 3, 4), ("b", 4, 5), ("c", 2, 3), ("d", 5, 8)], 9))
def lcs(a, b):
    table = [[""] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + x if x == y else max(table[i][j + 1], table[i + 1][j], key=len)
    return table[-1][-1]
print(lcs("AGGTAB", "GXTXAYB"))
