# row: G13
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 4000000000
# about: an xz stream that unfolds ten-thousandfold, and a filter that asks for a dictionary of gigabytes
import lzma

try:
    lzma.compress(b"x", format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1536 << 20}])
except (MemoryError, lzma.LZMAError, ValueError):
    pass
packed = lzma.compress(bytes(4_000_000))
hoard = []
while True:
    hoard.append(lzma.decompress(packed * 8))
