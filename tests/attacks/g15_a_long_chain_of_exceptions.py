# row: G15
# outcome: python_error
# about: an exception with 100,000 causes leaves the script; the report stays small
error = ValueError("first")
for number in range(100_000):
    later = ValueError(number)
    later.__cause__ = error
    error = later
raise error
