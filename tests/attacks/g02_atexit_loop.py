# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: exit functions run under the limits of the run
import atexit


def forever():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


atexit.register(forever)
result = "done"
