# row: G11
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 10000000000
# about: filling memory to the brim and freeing a little, again and again, ends at the first growth beyond the limit
hoard = []
size = 16 << 20
while True:
    try:
        hoard.append(bytearray(size))
    except MemoryError:
        size = max(1, size // 2)
        hoard[-1:] = []
