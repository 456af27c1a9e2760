# row: G19
# outcome: result_invalid
# about: the same as a key
result = {10**10_000: 1}
