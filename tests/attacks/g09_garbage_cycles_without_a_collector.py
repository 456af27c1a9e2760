# row: G09
# outcome: memory_limit
# flags: --memory-mib 128
# about: with the collector off, cycles pile up and must meet the memory limit
import gc

gc.disable()
gc.freeze()
while True:
    cycle = [bytearray(4096)]
    cycle.append(cycle)
