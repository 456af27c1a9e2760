# row: G15
# outcome: ok stack_overflow
# about: comparing and printing frozen sets and dictionaries nested 100,000 times
a, b = frozenset(), {}
for _ in range(100_000):
    b = {"k": b}
for _ in range(2000):
    a = frozenset([a])
for act in (lambda: repr(b), lambda: b == {"k": {}}, lambda: str(a), lambda: hash(a), lambda: f"{b}"):
    try:
        act()
    except RecursionError:
        pass
result = "raised"
