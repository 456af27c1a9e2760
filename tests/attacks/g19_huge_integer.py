# row: G19
# outcome: result_invalid
# about: an integer of 10,000 digits is refused without being written
result = 10**10_000
