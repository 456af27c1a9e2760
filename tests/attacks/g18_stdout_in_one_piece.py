# row: G18
# outcome: output_limit
# about: one write of 64 MiB
print("x" * (64 << 20))
