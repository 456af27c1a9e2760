# row: G02
# outcome: ok
# flags: --fuel 1000000000
# about: an exit function that registers itself again must not run unmetered
import atexit


def again():
    atexit.register(again)
    atexit.register(again)


atexit.register(again)
result = 1
