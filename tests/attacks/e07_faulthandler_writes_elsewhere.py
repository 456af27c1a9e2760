# row: E07
# outcome: ok
# about: faulthandler writes to the run's own stderr or nowhere, and shows no path of the building machine
import faulthandler, sys

for descriptor in (2, 1, 0, 7, 255, -1, 2**31):
    for act in (lambda: faulthandler.dump_traceback(file=descriptor), lambda: faulthandler.enable(file=descriptor), lambda: faulthandler.register(10, file=descriptor)):
        try:
            act()
        except (AttributeError, OSError, ValueError, RuntimeError, OverflowError, TypeError):
            pass
sum(range(100_000))
result = "alive"
