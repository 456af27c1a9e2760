# row: G12
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 10000000000
# about: json.dumps() of shared lists must meet the memory or fuel limit
import json

value = ["ha"] * 10
for _ in range(40):
    value = [value] * 10
json.dumps(value)
