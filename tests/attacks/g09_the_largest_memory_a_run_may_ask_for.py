# row: G09
# outcome: memory_limit
# flags: --memory-mib 1024
# about: at the ceiling of 1 GiB the limit still holds and the process gives everything back
hoard = []
while True:
    hoard.append(bytes(32 << 20))
