# row: G19
# outcome: result_invalid
# about: True, 1.0 and "true": keys that JSON writes alike are refused rather than merged
result = {True: 1, "true": 2}
