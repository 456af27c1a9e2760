# row: G08
# outcome: deadline_exceeded fuel_exhausted
# flags: --timeout-ms 500 --fuel 2000000000
# about: writes of nothing do not count as output and must meet another limit
import os

while True:
    os.write(1, b"")
