# row: G01
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: iter(callable, sentinel) drained by native code must meet the fuel limit
for _ in iter(int, 1):
    pass
