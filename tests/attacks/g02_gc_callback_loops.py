# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: a callback of the collector is metered
import gc


def callback(phase, info):
    while True:
        pass


gc.callbacks.append(callback)
gc.collect()
while True:
    pass
