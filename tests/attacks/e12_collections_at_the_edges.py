# row: E12
# outcome: memory_limit
# about: arguments at the edges of native collections, iterators and counters
import collections, functools, io, itertools, sys

big = (sys.maxsize, -sys.maxsize - 1, sys.maxsize + 1, 2**31, 2**32, 2**64, -1, 0)
for n in big:
    for act in (
        lambda: collections.deque([1], n), lambda: collections.deque([1, 2, 3]).rotate(n), lambda: collections.deque([1]).insert(n, 2), lambda: collections.deque([1, 2]).index(1, n, n), lambda: [1].insert(n, 2), lambda: [1, 2].index(2, n, n), lambda: [1].pop(n),
        lambda: range(n, n, n or 1), lambda: len(range(-n, n)), lambda: range(n)[n], lambda: range(n)[::n], lambda: reversed(range(-n, n)), lambda: hash(range(n)), lambda: range(n).index(n - 1), lambda: list(itertools.islice(itertools.count(n, n), 3)),
        lambda: next(itertools.islice([1], n)), lambda: itertools.batched([1], n), lambda: next(itertools.batched([1], n)), lambda: next(itertools.repeat(1, n)), lambda: itertools.repeat(1, n).__length_hint__(), lambda: slice(n, n, n).indices(abs(n)),
        lambda: "abc".find("b", n, n), lambda: "abc".replace("a", "b", n), lambda: "a b".split(" ", n), lambda: b"abc".rsplit(b"b", n), lambda: "abc".startswith("", n, -n), lambda: "abc".count("", n, n), lambda: bytearray(b"abc").pop(n), lambda: io.BytesIO(b"a").read(n),
        lambda: io.StringIO("a").read(n), lambda: io.BytesIO(b"a").seek(n, 2), lambda: functools.lru_cache(maxsize=n)(int)("1"), lambda: sum([n] * 3, n), lambda: enumerate([1], n).__next__(), lambda: chr(n), lambda: (n).bit_count(), lambda: round(n, n if abs(n) < 99 else 5), lambda: int.from_bytes(b"a" * 9, "big").to_bytes(9, "big"),
        lambda: io.BufferedReader(io.BytesIO(b"x"), n), lambda: io.TextIOWrapper(io.BytesIO(b"x")).read(n), lambda: io.TextIOWrapper(io.BytesIO(b"x")).seek(n), lambda: io.TextIOWrapper(io.BytesIO(b"x"))._CHUNK_SIZE.__class__(n), lambda: sys.setswitchinterval(n), lambda: sys.set_int_max_str_digits(n), lambda: sys._getframe(n), lambda: sys.getsizeof(n),
    ):
        try:
            act()
        except Exception:
            pass
result = "alive"
