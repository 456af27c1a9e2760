from itertools import chain, combinations, count, islice, permutations, product, takewhile
print([t for t in combinations(range(1, 21), 3) if t[0] ** 2 + t[1] ** 2 == t[2] ** 2])
letters = "SENDMORY"
def solve():
    for digits in permutations(range(10), 2):
        m, s = 1, 9
        for e, n, d, r, y in permutations([x for x in (0, 2, 3, 4, 5, 6, 7, 8)], 5):
            o = 0
            if 0 in (e, n, d, r, y):
                continue
            if (s * 1000 + e * 100 + n * 10 + d) + (m * 1000 + o * 100 + r * 10 + e) == m * 10000 + o * 1000 + n * 100 + e * 10 + y:
                return s, e, n, d, m, o, r, y
print(solve())
def primes():
    seen = {}
    for n in count(2):
        if n not in seen:
            yield n
            seen[n * n] = [n]
        else:
            for p in seen.pop(n):
                seen.setdefault(n + p, []).append(p)
print(list(islice(primes(), 12)), sum(takewhile(lambda p: p < 200, primes())))
def powerset(items):
    return chain.from_iterable(combinations(items, n) for n in range(len(items) + 1))
print(len(list(powerset("abcde"))), list(powerset("ab")), max(product((1, 2), (3, 4)), key=sum))
def collatz(n):
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    yield 1
print(list(collatz(12)), max(range(1, 1000), key=lambda n: sum(1 for _ in collatz(n))))
def batched(items, size):
    it = iter(items)
    while batch := tuple(islice(it, size)):
        yield batch
print(list(batched("abcdefg", 3)))
