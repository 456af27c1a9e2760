# row: G13
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 10000000000
# about: a deflate stream that unfolds a thousandfold, twice over
import zlib

inner = zlib.compress(bytes(30_000_000), 9)
bomb = zlib.compress(inner * 40, 9)
data = zlib.decompress(bomb)
hoard = []
while True:
    hoard.append(zlib.decompress(inner))
