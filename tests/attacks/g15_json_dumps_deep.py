# row: G15
# outcome: ok stack_overflow
# result: "RecursionError"
# about: json.dumps() of a list nested 300,000 times
import json

value = []
for _ in range(300_000):
    value = [value]
try:
    json.dumps(value)
except RecursionError as error:
    result = type(error).__name__
