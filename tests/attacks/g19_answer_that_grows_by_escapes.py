# row: G19
# outcome: result_limit
# about: a text within the limit whose JSON form is six times as long
result = "\x01" * 500_000
