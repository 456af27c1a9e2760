# row: G19
# outcome: result_invalid
# about: values that JSON cannot say are refused deep inside as well
result = {"a": [{"b": (float("inf"),)}]}
