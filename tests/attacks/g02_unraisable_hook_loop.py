# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: the hook for exceptions in finalizers is metered
import sys


def hook(*_):
    while True:
        pass


sys.unraisablehook = hook


class Bad:
    def __del__(self):
        raise ValueError


Bad()
while True:
    pass
