# outcome: deadline_exceeded
# flags: --timeout-ms 200
import time

time.sleep(1_000_000)
