# row: G12
# outcome: memory_limit
# flags: --memory-mib 80 --fuel 10000000000
# about: an exception whose argument is a shared structure must not make the report large
value = ["ha"] * 10
for _ in range(40):
    value = [value] * 10
raise ValueError(value)
