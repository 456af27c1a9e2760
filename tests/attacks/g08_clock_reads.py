# row: G08
# outcome: fuel_exhausted deadline_exceeded
# flags: --timeout-ms 500 --fuel 2000000000
# about: reading clocks in a loop must meet a limit in time
import time

while True:
    time.time()
    time.monotonic()
    time.perf_counter_ns()
