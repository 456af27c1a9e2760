# row: G12
# outcome: result_limit
# about: the same with dictionaries, whose keys count as well
result = "ha"
for _ in range(50):
    result = {"a" * 100: result, "b" * 100: result}
