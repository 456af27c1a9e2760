# cpython: "RecursionError\n"
# intentbox: "read\n"
import json
try:
    json.loads("[" * 5000 + "]" * 5000)
    print("read")
except RecursionError:
    print("RecursionError")
