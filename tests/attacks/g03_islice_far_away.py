# row: G03
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: skipping 2**60 elements natively must burn fuel
import itertools, sys

next(itertools.islice(itertools.repeat(1), min(2**60, sys.maxsize), None))
