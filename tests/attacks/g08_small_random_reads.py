# row: G08
# outcome: fuel_exhausted deadline_exceeded
# flags: --timeout-ms 500 --fuel 2000000000
# about: one random byte at a time must meet a limit in time
import os

while True:
    os.urandom(1)
