# row: G15
# outcome: ok stack_overflow
# about: calls through 40,000 nested partials, bound methods, wrappers and proxies
import functools, operator, types, weakref

for make in (
    lambda f: functools.partial(lambda g: g(), f),
    lambda f: functools.partial(f),
    lambda f: types.MethodType(lambda g: g(), f),
    lambda f: staticmethod(f),
    lambda f: types.MethodType(f, 1) if False else functools.wraps(f)(lambda: f()),
):
    f = int
    for _ in range(40_000):
        f = make(f)
    try:
        f()
    except (RecursionError, TypeError):
        pass
result = "raised"
