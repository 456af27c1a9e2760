# row: G20
# outcome: ok
# result: []
# about: holes count or are refused: no file of a pebibyte by truncate or by seek and write, no wrap of sizes
import os, sys

leaks = []
for size in ((64 << 20) + 1, 1 << 31, 1 << 32, 1 << 40, 1 << 50, 2**63 - 1, -1, -(2**63)):
    try:
        with open("/sparse", "wb") as file:
            file.truncate(size)
        leaks.append(f"truncate {size}")
    except (OSError, OverflowError, ValueError):
        pass
    try:
        with open("/sparse", "wb", buffering=0) as file:
            file.seek(size)
            if file.write(b"x"):
                leaks.append(f"seek {size}")
    except (OSError, OverflowError, ValueError):
        pass
    try:
        descriptor = os.open("/sparse", os.O_RDWR | os.O_CREAT)
        try:
            os.ftruncate(descriptor, size)
            leaks.append(f"ftruncate {size}")
        finally:
            os.close(descriptor)
    except (OSError, OverflowError, ValueError):
        pass
result = leaks
