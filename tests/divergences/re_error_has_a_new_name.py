# cpython: "error missing ), unterminated subpattern at position 0\n"
# intentbox: "PatternError missing ), unterminated subpattern at position 0\n"
import re
try:
    re.compile("(")
except re.error as error:
    print(type(error).__name__, error)
