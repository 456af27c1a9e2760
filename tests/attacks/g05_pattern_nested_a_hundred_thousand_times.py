# row: G05
# outcome: ok
# result: "RecursionError"
# about: a pattern of nested groups must meet the recursion guard of the compiler
import re

try:
    re.compile("(?:" * 100_000 + "a" + ")" * 100_000)
except (RecursionError, re.error) as error:
    result = "RecursionError"
