# row: E08
# outcome: python_error
# about: statuses outside a byte must not confuse the host
import os

os._exit(-(2**31))
