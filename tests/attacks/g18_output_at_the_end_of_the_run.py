# row: G18
# outcome: output_limit
# about: text held back in Python's buffer and flushed at the end meets the limit as well
import sys

sys.stdout.reconfigure(line_buffering=False)
import io

big = io.TextIOWrapper(io.BufferedWriter(sys.stdout.buffer.raw if hasattr(sys.stdout.buffer, "raw") else sys.stdout.buffer, 8 << 20), write_through=False)
sys.stdout = big
big.write("x" * (4 << 20))
result = 1
