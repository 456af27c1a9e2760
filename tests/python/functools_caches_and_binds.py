import functools
calls = []
@functools.lru_cache(maxsize=2)
def square(n):
    calls.append(n)
    return n * n
print([square(n) for n in (1, 2, 1, 3, 2)], calls, square.cache_info())
square.cache_clear()
print(square.cache_info().currsize)
@functools.cache
def ways(n):
    return 1 if n < 2 else ways(n - 1) + ways(n - 2)
print(ways(80))
print(functools.reduce(lambda a, b: a * b, range(1, 6)), functools.reduce(max, [3, 9, 2], 5))
power = functools.partial(pow, 2)
print(power(10), power.func is pow, power.args, functools.partial(int, base=2)("101"))
@functools.singledispatch
def show(value):
    return f"? {value}"
@show.register
def _(value: int):
    return f"int {value}"
@show.register(list)
def _(value):
    return [show(v) for v in value]
print(show(1), show("x"), show([1, "a"]), show(True))
class Data:
    loads = 0
    @functools.cached_property
    def rows(self):
        Data.loads += 1
        return [1, 2]
d = Data()
print(d.rows, d.rows, Data.loads)
print(sorted(["b10", "a2"], key=functools.cmp_to_key(lambda x, y: (x[1:] > y[1:]) - (x[1:] < y[1:]))))
