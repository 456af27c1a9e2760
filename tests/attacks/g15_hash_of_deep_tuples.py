# row: G15
# outcome: ok stack_overflow
# result: "RecursionError"
# about: hash() of a tuple nested 300,000 times
value = ()
for _ in range(300_000):
    value = (value,)
try:
    hash(value)
except RecursionError as error:
    result = type(error).__name__
