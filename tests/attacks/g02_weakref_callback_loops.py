# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: a weak reference's callback is metered
import weakref


class Thing:
    pass


def callback(_):
    while True:
        pass


thing = Thing()
reference = weakref.ref(thing, callback)
del thing
while True:
    pass
