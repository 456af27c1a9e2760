# row: E08
# outcome: ok
# about: exit functions that exit, raise and register more: the answer or an error, in bounded time
import atexit, sys

for status in (0, 1, "x", None):
    atexit.register(sys.exit, status)
atexit.register(lambda: 1 / 0)
result = "done"
