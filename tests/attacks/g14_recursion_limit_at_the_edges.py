# row: G14
# outcome: ok
# result: []
# about: limits of zero, below zero and beyond any integer are refused
import sys

leaks = []
for limit in (0, -1, -(2**31), 2**31, 2**63, 2**64, 1.5, "9", None):
    try:
        sys.setrecursionlimit(limit)
        leaks.append(repr(limit))
    except (ValueError, OverflowError, TypeError, RecursionError):
        pass
result = leaks
