# row: G11
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: requests that raise MemoryError, caught for ever, are bounded by fuel
while True:
    try:
        1 << (1 << 40)
    except MemoryError:
        pass
