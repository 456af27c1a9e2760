# row: G18
# outcome: output_limit
# about: one character at a time, flushed, must meet the limit of stderr
import sys

while True:
    sys.stderr.write(".")
    sys.stderr.flush()
