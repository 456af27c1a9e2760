# row: E11
# outcome: ok
# about: iterators, frames and descriptors restored with states nobody saved
import array, collections, copy, functools, itertools, io, operator, random

for make, states in (
    (lambda: iter([1, 2, 3]), (-1, 2**31, 2**63, None)),
    (lambda: iter((1, 2)), (-5, 10**9)),
    (lambda: iter(range(5)), (-1, 2**62)),
    (lambda: iter("abc"), (-1, 2**31, 99)),
    (lambda: reversed([1, 2]), (-5, 99)),
    (lambda: iter(array.array("i", [1])), (-1, 2**40)),
    (lambda: functools.partial(int), ((), (1, 2, 3, 4), (len, 5, {}, None), (None, (), {}, {}))),
    (lambda: io.BytesIO(), ((b"x", -5, None), (b"x", 2**62, None), 5, (b"x", 0, 7))),
    (lambda: io.StringIO(), (("x", "\n", -5, None), ("x", "\n", 2**62, None), ("x", 5, 0, None))),
    (lambda: itertools.cycle([1]), (((), 0), ([], 9), 5)),
    (lambda: itertools.product([1], [2]), ((5, 5), (-1, -1), (2**62,))),
    (lambda: itertools.combinations([1, 2, 3], 2), ((9, 9), (-1, 0), ())),
    (lambda: itertools.islice([1], 1), (2**62, -1)),
    (lambda: random.Random(), ((3, (), None), (3, (2**32,) * 625, None), (2, (1,), 0))),
    (lambda: collections.deque(), (5, {"maxlen": -1})),
    (lambda: collections.OrderedDict(), (5,)),
    (lambda: operator.itemgetter(1), (5, ())),
):
    for state in states:
        value = make()
        for name in ("__setstate__", "setstate"):
            try:
                getattr(value, name)(state)
                for _ in zip(range(5), value):
                    pass
                copy.copy(value)
                value.read(), value.random()
            except Exception:
                pass
result = "alive"
