# row: G10
# outcome: python_error
# about: one list of a billion slots
[None] * 500_000_000
