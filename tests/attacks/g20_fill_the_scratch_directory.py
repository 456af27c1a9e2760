# row: G20
# outcome: ok
# result: {"some": true, "refused": true, "over": false, "again": true}
# about: 64 MiB of content in all, over many files; the next byte is an OSError, and deleting makes room
import os

piece = b"x" * (1 << 20)
written = 0
refused = False
try:
    for number in range(100):
        with open(f"/f{number}", "wb", buffering=0) as file:
            while file.tell() < 3 << 20:
                written += file.write(piece)
except OSError:
    refused = True
os.remove("/f0")
again = True
try:
    with open("/again", "wb", buffering=0) as file:
        file.write(piece)
except OSError:
    again = False
result = {"some": written > 32 << 20, "refused": refused, "over": written > 64 << 20, "again": again}
