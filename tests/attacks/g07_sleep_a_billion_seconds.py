# row: G07
# outcome: deadline_exceeded
# flags: --timeout-ms 300
# about: a sleep burns no fuel; the deadline must end it on time
import time

time.sleep(10**9)
