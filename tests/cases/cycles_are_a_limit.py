# outcome: result_limit
result = []
result.append(result)
