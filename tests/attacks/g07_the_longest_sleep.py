# row: G07
# outcome: deadline_exceeded
# flags: --timeout-ms 300
# about: the largest duration that a 64-bit clock can hold must not wrap into the past or panic the host's timer
import time

time.sleep(9_223_372_036.0)
time.sleep(2**53)
