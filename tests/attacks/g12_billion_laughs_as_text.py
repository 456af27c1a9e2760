# row: G12
# outcome: memory_limit
# flags: --memory-mib 80 --fuel 10000000000
# about: repr() of shared lists must meet the memory or fuel limit
value = ["ha"] * 10
for _ in range(40):
    value = [value] * 10
repr(value)
