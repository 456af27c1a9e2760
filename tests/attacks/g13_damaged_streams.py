# row: G13
# outcome: ok
# flags: --fuel 20000000000
# result: "alive"
# about: streams with flipped bits are errors of the script, or crash the run only
import bz2, lzma, random, zlib

random.seed(5)
for compress, decompress, error in (
    (zlib.compress, zlib.decompress, (zlib.error, EOFError, MemoryError)),
    (bz2.compress, bz2.decompress, (OSError, ValueError, EOFError, MemoryError)),
    (lzma.compress, lzma.decompress, (lzma.LZMAError, EOFError, MemoryError)),
):
    good = compress(b"hello hello hello " * 50)
    for _ in range(150):
        bad = bytearray(good)
        for _ in range(random.randrange(1, 4)):
            bad[random.randrange(len(bad))] ^= 1 << random.randrange(8)
        try:
            decompress(bytes(bad))
        except error:
            pass
result = "alive"
