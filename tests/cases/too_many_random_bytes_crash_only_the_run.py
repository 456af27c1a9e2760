# outcome: guest_trap
import os

os.urandom(1 << 24)
