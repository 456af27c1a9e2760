# row: G03
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: sum() over an endless native iterator must burn fuel
import itertools

sum(itertools.repeat(0))
