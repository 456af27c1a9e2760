# row: G14
# outcome: ok stack_overflow
# result: "RecursionError"
# about: with setrecursionlimit(10**9), plain recursion must raise or end as stack_overflow
import sys

for limit in (10**9, 2**31 - 1):
    try:
        sys.setrecursionlimit(limit)
    except (OverflowError, ValueError):
        pass


def f(n):
    return f(n + 1) + 1


try:
    f(0)
except RecursionError as error:
    result = type(error).__name__
