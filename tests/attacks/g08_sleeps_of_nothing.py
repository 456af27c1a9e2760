# row: G08
# outcome: deadline_exceeded fuel_exhausted
# flags: --timeout-ms 500 --fuel 2000000000
# about: sleep(0) in a loop must meet a limit in time
import time

while True:
    time.sleep(0)
