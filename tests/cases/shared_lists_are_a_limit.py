# outcome: result_limit
result = [0] * 10
for _ in range(40):
    result = [result] * 10 if _ < 20 else result
