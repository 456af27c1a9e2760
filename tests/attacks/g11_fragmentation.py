# row: G11
# outcome: ok
# flags: --memory-mib 128 --fuel 10000000000
# about: holes of growing sizes defeat the allocator at worst, not the limit
hoard = []
for size in range(64, 4096, 64):
    hoard = [bytearray(size) for _ in range(2000)][::2]
result = None
