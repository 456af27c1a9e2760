# row: G04
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: native combinatorics with script-chosen sizes must burn fuel
import math

math.isqrt(7 ** 2_000_000)
math.perm(10**12, 10**8)
math.comb(10**12, 10**8)
