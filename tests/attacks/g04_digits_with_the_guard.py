# row: G04
# outcome: ok
# result: ["ValueError", "ValueError"]
# about: the guard against quadratic conversions is on by default, both ways
found = []
try:
    str(10**5000)
except ValueError as error:
    found.append(type(error).__name__)
try:
    int("9" * 5000)
except ValueError as error:
    found.append(type(error).__name__)
result = found
