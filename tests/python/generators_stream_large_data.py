def numbers(n):
    for i in range(n):
        yield i
def chunks(items, size):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
print(sum(len(c) for c in chunks(numbers(100_000), 999)), next(chunks(numbers(10), 4)))
def running(values):
    n = mean = m2 = 0
    for value in values:
        n += 1
        delta = value - mean
        mean += delta / n
        m2 += delta * (value - mean)
        yield mean, (m2 / n) ** 0.5
last = None
for last in running(x % 7 for x in range(1000)):
    pass
print(round(last[0], 6), round(last[1], 6))
def flatten(items):
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from flatten(item)
        else:
            yield item
print(list(flatten([1, [2, (3, [4, [5]])], "ab"])))
def merge(*streams):
    heads = [(next(s, None), i, s) for i, s in enumerate(map(iter, streams))]
    heads = [h for h in heads if h[0] is not None]
    while heads:
        smallest = min(heads)
        value, i, s = smallest
        yield value
        heads.remove(smallest)
        if (nxt := next(s, None)) is not None:
            heads.append((nxt, i, s))
print(list(merge([1, 5, 9], [2, 6], range(3, 5))))
total = sum(n * n for n in numbers(50_000) if n % 3 == 0)
print(total, max((len(str(n)), n) for n in numbers(1000)))
def window(items, size):
    from collections import deque
    d = deque(maxlen=size)
    for item in items:
        d.append(item)
        if len(d) == size:
            yield tuple(d)
print(list(window("abcde", 3)), any(a > b for a, b in window([1, 2, 2], 2)))
