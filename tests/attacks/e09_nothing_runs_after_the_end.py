# row: E09
# outcome: ok
# result: 1
# about: timers, finalizers, weak references and generators left behind print nothing after the answer
import atexit, gc, threading, weakref


class Late:
    def __del__(self):
        print("late finalizer")


def suspended():
    try:
        yield
    finally:
        print("late generator")


late = Late()
reference = weakref.ref(late, lambda _: print("late reference"))
weakref.finalize(late, print, "late finalize").atexit = False
generator = suspended()
next(generator)
try:
    threading.Timer(3600, print, ["late timer"])
except RuntimeError:
    pass
result = 1
