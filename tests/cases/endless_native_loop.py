# outcome: fuel_exhausted
# flags: --fuel 200000000
import itertools, collections

collections.deque(itertools.count(), maxlen=0)
