# row: G13
# outcome: memory_limit
# about: the buffer size that a script gives to decompress() is not allocated unseen
import sys, zlib

leaks = []
packed = zlib.compress(b"x" * 100)
for size in (2**40, sys.maxsize, 2**64, -1, 0):
    try:
        if zlib.decompress(packed, bufsize=size) != b"x" * 100:
            leaks.append(size)
    except (OverflowError, ValueError, MemoryError):
        pass
    try:
        zlib.decompressobj().decompress(packed, size)
        zlib.decompressobj().flush(size)
    except (OverflowError, ValueError, MemoryError, zlib.error):
        pass
result = leaks
