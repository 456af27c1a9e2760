# row: G06
# outcome: fuel_exhausted
# flags: --fuel 3000000000
# about: integers that all hash alike make a dictionary quadratic; the cost is the run's own
modulus = 2**61 - 1
table = {}
for number in range(200_000):
    table[number * modulus] = number
