# row: G10
# outcome: ok
# result: []
# about: sizes beyond the address space are refused in the guest by every maker of sequences
import array, collections, itertools, struct

huge = (10**11, 2**50, 2**63 - 1, 2**64, 10**30)
makers = {
    "bytes": lambda n: bytes(n),
    "bytearray": lambda n: bytearray(n),
    "str*": lambda n: "x" * n,
    "bytes*": lambda n: b"xy" * n,
    "list*": lambda n: [0] * n,
    "tuple*": lambda n: (0,) * n,
    "array*": lambda n: array.array("d", [0.0]) * n,
    "deque*": lambda n: collections.deque([1, 2, 3]) * n,
    "zfill": lambda n: "1".zfill(n),
    "ljust": lambda n: "1".ljust(n),
    "center": lambda n: b"1".center(n),
    "expandtabs": lambda n: "\t".expandtabs(n),
    "width": lambda n: f"{1:{n}}",
    "precision": lambda n: f"{1.5:.{n}f}",
    "percent": lambda n: "%*d" % (n, 1),
    "percent precision": lambda n: "%.*f" % (n, 1.5),
    "bytes percent": lambda n: b"%*d" % (n, 1),
    "to_bytes": lambda n: (1).to_bytes(n, "big"),
    "pad": lambda n: struct.pack(f"{n}x"),
    "calcsize": lambda n: b"" if struct.calcsize(f"{n}d") < 0 else struct.Struct(f"{n}d").pack(),
    "combinations": lambda n: next(itertools.combinations((1, 2), n)),
    "repeat list": lambda n: list(itertools.repeat(0, n)) if n > 2**63 else next(itertools.permutations((1, 2), n)),
}
leaks = []
for size in huge:
    for name, make in makers.items():
        try:
            make(size)
            leaks.append(f"{name} {size}")
        except (MemoryError, OverflowError, ValueError, struct.error, StopIteration, TypeError):
            pass
result = leaks
