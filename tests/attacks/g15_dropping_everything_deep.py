# row: G15
# outcome: ok stack_overflow
# result: "dropped"
# about: freeing deep chains of every kind of container, closure, iterator and exception
import collections, functools, itertools


class Node:
    def __init__(self, next):
        self.next = next


class Slots:
    __slots__ = ("next",)

    def __init__(self, next):
        self.next = next


def raised(cause):
    error = ValueError()
    error.__cause__ = cause
    return error


def suspended(inner):
    yield inner


def started(inner):
    generator = suspended(inner)
    next(generator)
    return generator


makers = [
    lambda v: (v,), lambda v: {0: v}, lambda v: Node(v), lambda v: Slots(v), lambda v: (lambda: v), lambda v: functools.partial(len, v),
    lambda v: itertools.chain((v,)), lambda v: iter([v]), lambda v: collections.deque([v]), lambda v: raised(v if isinstance(v, Exception) else None),
    lambda v: started(v), lambda v: map(len, (v,)), lambda v: itertools.repeat(v), lambda v: slice(v, v), lambda v: property(v), lambda v: staticmethod(v),
    lambda v: zip([v]), lambda v: collections.OrderedDict(a=v), lambda v: [v].__len__,
]
for make in makers:
    value = None
    for _ in range(30_000):
        value = make(value)
    del value
result = "dropped"
