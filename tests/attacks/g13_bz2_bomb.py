# row: G13
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 4000000000
# about: a bz2 stream that unfolds a hundred-thousandfold
import bz2

packed = bz2.compress(bytes(4_000_000))
hoard = []
while True:
    hoard.append(bz2.decompress(packed * 8))
