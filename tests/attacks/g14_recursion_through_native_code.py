# row: G14
# outcome: ok
# result: ["RecursionError", "RecursionError", "RecursionError", "RecursionError", "RecursionError", "RecursionError", "RecursionError", "RecursionError"]
# about: recursion that alternates between Python and native code must raise at the same depth
import functools


class A:
    def __getattr__(self, name):
        return getattr(self, name + "x")

    def __repr__(self):
        return f"{self!r}"

    def __len__(self):
        return len(self)

    def __eq__(self, other):
        return self == other

    def __lt__(self, other):
        return sorted([self, A()]) and True

    def __call__(self, *_):
        return list(map(self, [1]))

    def __hash__(self):
        return hash((self,))

    def __iter__(self):
        return iter(list(self))


found = []
a = A()
for act in (lambda: a.missing, lambda: repr([a]), lambda: len(a), lambda: a == A(), lambda: sorted([a, A()]), lambda: a(1),
            lambda: {a: 1}, lambda: list(a)):
    try:
        act()
        found.append("came back")
    except RecursionError as error:
        found.append(type(error).__name__)
result = found
