# outcome: ok
# result: null
import sys

print("out")
print("err", file=sys.stderr)
