def counter(start=0):
    count = start
    def step(by=1):
        nonlocal count
        count += by
        return count
    def reset():
        nonlocal count
        count = start
    return step, reset
step, reset = counter(10)
print(step(), step(5))
reset()
print(step())
total = 0
def add(n):
    global total
    total += n
for n in (1, 2, 3):
    add(n)
print(total)
def bad():
    print(undefined_later)
    undefined_later = 1
try:
    bad()
except UnboundLocalError as error:
    print(type(error).__name__)
def memo(f):
    cache = {}
    def inner(n):
        if n not in cache:
            cache[n] = f(n)
        return cache[n]
    inner.cache = cache
    return inner
@memo
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(60), len(fib.cache))
