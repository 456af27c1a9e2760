# row: G11
# outcome: fuel_exhausted deadline_exceeded
# flags: --timeout-ms 700
# about: allocating and freeing most of the memory in a loop burns time, never more memory than the limit
while True:
    piece = bytearray(150 << 20)
    del piece
