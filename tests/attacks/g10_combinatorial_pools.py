# row: G10
# outcome: python_error
# flags: --fuel 3000000000
# about: a product of a large pool repeated a billion times is copied before the first element
import itertools

next(itertools.product(range(1000), repeat=2**28))
