# row: G07
# outcome: deadline_exceeded
# flags: --timeout-ms 300
# about: sleeping on the way out does not add time
import time

try:
    1 / 0
finally:
    time.sleep(10**6)
