# row: E08
# outcome: ok
# about: exit functions run before the answer is read or after: the answer is one of the two that the script made
import atexit


def change():
    global result
    result = "second"


atexit.register(change)
result = "first"
