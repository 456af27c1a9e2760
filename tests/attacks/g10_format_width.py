# row: G10
# outcome: memory_limit
# about: a width of two billion in a format string
f"{'x':>2000000000}"
