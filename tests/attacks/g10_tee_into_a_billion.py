# row: G10
# outcome: python_error
# flags: --fuel 3000000000
# about: tee() into a billion iterators
import itertools

itertools.tee([], 2**30)
