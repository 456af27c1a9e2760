# row: G15
# outcome: ok stack_overflow
# result: "RecursionError"
# about: JSON text of 300,000 brackets
import json

try:
    json.loads("[" * 300_000 + "]" * 300_000)
except RecursionError as error:
    result = type(error).__name__
