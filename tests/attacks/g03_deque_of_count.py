# row: G03
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: a native loop without bytecode must burn fuel
import collections, itertools

collections.deque(itertools.count(), maxlen=0)
