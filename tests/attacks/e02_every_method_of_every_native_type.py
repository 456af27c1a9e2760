# row: E02
# outcome: memory_limit
# flags: --fuel 20000000000
# about: each method of the built-in types is called with odd arguments; the run may crash, the host may not
import array, collections, datetime, decimal, io, itertools, random, re

random.seed(4)
values = [None, 0, -1, 2**31 - 1, -(2**63), 2**64, 0.5, "", "x{}", "\ud800", b"%s", [], {}, (), object, len, [1] * 3, bytearray(5), memoryview(b"abc"), slice(None, None, -1)]
makers = [lambda: [1, 2, 3], lambda: {1: 2}, lambda: {1, 2}, lambda: "text", lambda: b"text", lambda: bytearray(b"text"), lambda: memoryview(bytearray(b"text")), lambda: 5, lambda: 1.5, lambda: 1j,
          lambda: (1, 2), lambda: range(9), lambda: array.array("i", [1, 2]), lambda: collections.deque([1], 5), lambda: collections.OrderedDict(a=1), lambda: io.BytesIO(b"abc"), lambda: io.StringIO("abc"),
          lambda: datetime.datetime(2026, 1, 1), lambda: datetime.timedelta(1), lambda: decimal.Decimal(1), lambda: re.compile("(a)"), lambda: re.match("(a)", "a"), lambda: itertools.count(),
          lambda: (i for i in (1, 2)), lambda: iter([1]), lambda: type, lambda: len, lambda: (lambda: 0), lambda: (lambda: 0).__code__, lambda: ValueError("x"), lambda: property(len), lambda: slice(1), lambda: super]
for make in makers:
    for name in dir(make()):
        if name in ("__subclasses__", "__class__") or name.startswith("_run"):
            continue
        for count in (0, 1, 2, 3):
            try:
                getattr(make(), name)(*random.choices(values, k=count))
            except Exception:
                pass
result = "alive"
