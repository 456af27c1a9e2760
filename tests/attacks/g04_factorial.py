# row: G04
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: a native factorial must burn fuel
import math

math.factorial(10**8)
