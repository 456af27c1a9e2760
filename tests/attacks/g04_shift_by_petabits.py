# row: G04
# outcome: ok
# result: []
# about: shifts beyond the address space are refused, and a shift of zero stays zero
leaks = []
for amount in (1 << 40, 1 << 62, 1 << 64, 1 << 200):
    try:
        if 0 << amount:
            leaks.append("zero")
        1 << amount
        leaks.append(str(amount))
    except (MemoryError, OverflowError):
        pass
    try:
        if 5 >> amount:
            leaks.append("right")
    except (MemoryError, OverflowError):
        pass
result = leaks
