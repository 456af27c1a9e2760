# row: G15
# outcome: ok stack_overflow
# result: "RecursionError"
# about: pickle.dumps() of a list nested 300,000 times
import pickle

value = []
for _ in range(300_000):
    value = [value]
try:
    pickle.dumps(value)
except RecursionError as error:
    result = type(error).__name__
