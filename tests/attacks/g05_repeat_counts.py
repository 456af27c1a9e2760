# row: G05
# outcome: ok
# flags: --fuel 2000000000
# about: repeats of repeats of repeats must not unfold into memory without a limit
import re

re.compile(r"((((a{0,60000}){0,60000}){0,60000}){0,60000})b").match("a" * 1000)
