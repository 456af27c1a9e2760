# outcome: result_limit
result = []
for _ in range(1000):
    result = [result]
