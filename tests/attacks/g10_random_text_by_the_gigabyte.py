# row: G10
# outcome: python_error
# flags: --fuel 2000000000
# about: a random integer of 16 gigabits
import random

random.getrandbits(2**34)
