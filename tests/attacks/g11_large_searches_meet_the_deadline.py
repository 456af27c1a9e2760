# row: G11
# outcome: deadline_exceeded
# flags: --memory-mib 512 --timeout-ms 300 --fuel 10000000000000
# about: comparisons, searches, hashes and encodings of large texts must still end at most 250 ms after the deadline
import zlib

piece = b"a" * (100 << 20)
while True:
    piece == bytes(piece)
    piece.find(b"ab")
    zlib.crc32(piece)
    hash(piece)
    piece.decode()
