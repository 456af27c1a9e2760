# row: G15
# outcome: ok stack_overflow
# about: the cycle collector, get_referrers and sizes on a graph 300,000 deep
import gc, sys

value = []
first = value
for _ in range(300_000):
    value = [value, None]
first.append(value)
del first
gc.collect()
gc.get_referents(value)
del value
gc.collect()
result = "collected"
