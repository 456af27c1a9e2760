# row: E12
# outcome: python_error
# about: line tables that point before the first or behind the last line of the script are shown without a line, not looked up out of range
def target():
    raise ValueError("x")


original = target.__code__
for changes in ({"co_firstlineno": 0}, {"co_firstlineno": 2**31 - 1}, {"co_linetable": b""}, {"co_linetable": b"\xff" * 200}, {"co_linetable": bytes(range(256))}):
    target.__code__ = original.replace(**changes)
    try:
        target()
    except ValueError as error:
        last = error
raise last
