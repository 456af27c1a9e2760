# outcome: memory_limit
x = bytearray(1 << 30)
