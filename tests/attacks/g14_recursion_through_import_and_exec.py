# row: G14
# outcome: ok stack_overflow
# result: "RecursionError"
# about: exec() of source that execs itself
source = "exec(source)"
try:
    exec(source)
except RecursionError as error:
    result = type(error).__name__
