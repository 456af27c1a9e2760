# row: G03
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: all() over a product of ranges runs natively for ages and must burn fuel
import itertools

all(itertools.product(range(1000), repeat=12))
