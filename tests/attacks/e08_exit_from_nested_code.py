# row: E08
# outcome: ok
# result: "kept"
# about: sys.exit(0) deep inside callbacks ends the script as success with the answer bound so far
import sys

result = "kept"
sorted([1, 2, 3], key=lambda _: sys.exit(0))
