# row: G15
# outcome: ok stack_overflow
# result: "RecursionError"
# about: == of two lists nested 300,000 times
a, b = [], []
for _ in range(300_000):
    a, b = [a], [b]
try:
    a == b
except RecursionError as error:
    result = type(error).__name__
