# row: G04
# outcome: python_error
# flags: --fuel 3000000000
# about: an exponent that is itself a big integer must be refused
10 ** (10**30)
