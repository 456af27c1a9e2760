# row: G18
# outcome: output_limit
# flags: --fuel 20000000000
# about: what the interpreter itself writes (warnings, exceptions in finalizers, tracebacks) counts as output
import traceback, warnings


class Bad:
    def __del__(self):
        raise ValueError("x" * 5000)


warnings.simplefilter("always")
while True:
    warnings.warn("y" * 5000)
    Bad()
    try:
        1 / 0
    except ZeroDivisionError:
        traceback.print_exc()
