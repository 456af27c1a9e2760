# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: trace and profile functions are metered and cannot hold up the limit
import sys


def trace(*_):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


sys.setprofile(trace)
sys.settrace(trace)


def f():
    pass


f()
while True:
    pass
