# row: G13
# outcome: fuel_exhausted
# flags: --memory-mib 128 --fuel 3000000000
# about: objects that come back from their finalizer, twice as many each time
import gc


class Phoenix:
    def __init__(self):
        self.load = bytearray(1000)
        self.me = self

    def __del__(self):
        graveyard.append(self)
        graveyard.append(Phoenix())


graveyard = [Phoenix()]
while True:
    old, graveyard = graveyard, []
    del old
    gc.collect()
