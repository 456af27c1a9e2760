# row: G03
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: filters that never let anything through must burn fuel inside one next()
import itertools

next(filter(None, itertools.filterfalse(bool, itertools.compress(itertools.repeat(0), itertools.repeat(1)))))
