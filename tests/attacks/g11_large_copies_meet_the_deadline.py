# row: G11
# outcome: deadline_exceeded
# flags: --memory-mib 512 --timeout-ms 300 --fuel 10000000000000
# about: copies of a hundred megabytes are single instructions; the run must still end at most 250 ms after its deadline
piece = bytearray(100 << 20)
other = bytearray(100 << 20)
while True:
    piece[:] = other
