# row: G08
# outcome: deadline_exceeded fuel_exhausted
# flags: --timeout-ms 500
# about: random bytes by the megabyte cost the host more than the guest; the deadline must hold
import os

while True:
    os.urandom(1 << 20)
