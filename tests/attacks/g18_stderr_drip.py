# row: G18
# outcome: output_limit
# about: one byte at a time on stderr must meet its limit
import os

while True:
    os.write(2, b".")
