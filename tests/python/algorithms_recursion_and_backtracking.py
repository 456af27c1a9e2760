def permutations(items):
    if not items:
        yield ()
    for i, item in enumerate(items):
        for rest in permutations(items[:i] + items[i + 1:]):
            yield (item, *rest)
print(len(list(permutations("abcd"))), list(permutations([1, 2, 3]))[:3])
def queens(n, row=0, columns=frozenset(), left=frozenset(), right=frozenset()):
    if row == n:
        return 1
    return sum(queens(n, row + 1, columns | {c}, left | {row - c}, right | {row + c})
               for c in range(n) if c not in columns and row - c not in left and row + c not in right)
print([queens(n) for n in range(1, 8)])
def hanoi(n, a="A", b="B", c="C"):
    return [] if n == 0 else hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)
print(len(hanoi(8)), hanoi(2))
def subsets(items):
    return [[]] if not items else [s + extra for s in subsets(items[1:]) for extra in ([], [items[0]])]
print(len(subsets(list("abcde"))), sorted(map(sorted, subsets([1, 2]))))
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
print(depth(800))
def ackermann(m, n):
    return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))
print(ackermann(2, 6))
