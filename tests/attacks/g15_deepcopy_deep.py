# row: G15
# outcome: ok stack_overflow
# result: "RecursionError"
# about: copy.deepcopy() of a list nested 300,000 times
import copy

value = []
for _ in range(300_000):
    value = [value]
try:
    copy.deepcopy(value)
except RecursionError as error:
    result = type(error).__name__
