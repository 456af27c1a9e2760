# row: G18
# outcome: output_limit
# flags: --fuel 2000000000
# about: the collector's own debug messages go to the run's stderr and count there
import gc

gc.set_debug(gc.DEBUG_STATS)
while True:
    gc.collect()
