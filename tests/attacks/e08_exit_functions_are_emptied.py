# row: E08
# outcome: ok
# result: 5
# about: clearing and replacing the exit machinery changes nothing about the end of the run
import atexit, sys

atexit._clear()
atexit._run_exitfuncs = atexit.register = None
del sys.modules["atexit"]
sys.exitfunc = lambda: 1 / 0
result = 5
