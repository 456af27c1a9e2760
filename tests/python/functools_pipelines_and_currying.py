from functools import partial, reduce, wraps
from itertools import chain, groupby
from operator import itemgetter
def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)
clean = compose(str.strip, str.lower, lambda s: s.replace(" ", "_"))
print(clean("  Hello World "))
def curry(function, arity):
    def take(*args):
        return function(*args) if len(args) >= arity else lambda *more: take(*args, *more)
    return take
add3 = curry(lambda a, b, c: a + b + c, 3)
print(add3(1)(2)(3), add3(1, 2)(3), add3(1)(2, 3))
def validate(**rules):
    def decorate(function):
        @wraps(function)
        def inner(**kwargs):
            errors = {k: v for k, v in kwargs.items() if k in rules and not rules[k](v)}
            if errors:
                raise ValueError(f"invalid: {errors}")
            return function(**kwargs)
        return inner
    return decorate
@validate(age=lambda a: a >= 0, name=str.isalpha)
def create(name, age):
    return f"{name}:{age}"
print(create(name="ada", age=3))
try:
    create(name="a1", age=-1)
except ValueError as error:
    print(error)
orders = [("eu", "a", 3), ("us", "b", 1), ("eu", "c", 2)]
print({k: sum(map(itemgetter(2), g)) for k, g in groupby(sorted(orders), itemgetter(0))})
print(list(chain.from_iterable(map(lambda n: [n] * n, range(4)))), list(map(sum, zip(*[(1, 2), (3, 4)]))))
pipeline = [partial(filter, lambda n: n % 2), partial(map, lambda n: n ** 2), sum]
print(reduce(lambda data, step: step(data), pipeline, range(10)))
