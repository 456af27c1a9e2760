# row: G15
# outcome: ok stack_overflow
# about: next() through 200,000 nested native iterators
import itertools

iterator = iter([1])
for _ in range(200_000):
    iterator = itertools.chain(iterator)
try:
    next(iterator)
except RecursionError:
    pass
iterator = iter([1])
for _ in range(200_000):
    iterator = map(abs, iterator)
try:
    next(iterator)
except RecursionError:
    pass
result = "raised"
