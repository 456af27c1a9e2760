# row: G19
# outcome: ok
# about: an integer at the digit limit is written whole or refused, never cut
result = 10**4299
