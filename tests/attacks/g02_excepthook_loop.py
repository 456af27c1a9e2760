# row: G02
# outcome: python_error
# flags: --fuel 1000000000
# about: a hook for uncaught exceptions is not run, or is metered
import sys


def hook(*_):
    while True:
        pass


sys.excepthook = hook
sys.unraisablehook = hook
raise ValueError("out")
