# outcome: ok
# result: 5
import sys

result = 5
sys.exit(0)
