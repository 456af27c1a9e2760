# row: G19
# outcome: result_limit
# about: a million empty lists
result = [[] for _ in range(1_000_000)]
