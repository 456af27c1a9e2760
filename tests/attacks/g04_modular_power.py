# row: G04
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: a modular power of huge operands is one native call and must burn fuel
pow(3, (1 << 2_000_000) - 1, (1 << 1_000_001) - 1)
