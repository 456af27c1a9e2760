# row: G19
# outcome: result_limit
# about: a cycle through a dictionary, a list and a tuple meets the depth limit
inner = []
result = {"a": (inner,)}
inner.append(result)
