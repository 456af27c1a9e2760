# row: G18
# outcome: output_limit
# about: bytes that are not text, without a line end, count as bytes
import sys

while True:
    sys.stdout.buffer.write(b"\xff\xfe\x00\x1b" * 4096)
    sys.stdout.buffer.flush()
