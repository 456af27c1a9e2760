# row: E15
# outcome: ok
# result: true
# about: fresh memory is zero: nothing of an earlier run or of the host shows in buffers that were never written
pieces = [bytearray(1 << 20) for _ in range(64)]
clean = bytes(1 << 20)
result = all(piece == clean for piece in pieces)
