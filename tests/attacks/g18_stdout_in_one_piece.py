# row: G18
# outcome: output_limit
# flags: --timeout-ms 6000
# about: one write of 64 MiB
print("x" * (64 << 20))
