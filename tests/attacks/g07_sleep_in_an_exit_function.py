# row: G07
# outcome: deadline_exceeded
# flags: --timeout-ms 300
# about: an exit function may not sleep past the deadline
import atexit, time

atexit.register(time.sleep, 10**6)
result = 1
