# row: E05
# outcome: ok
# result: []
# about: reads and writes at negative and enormous offsets and sizes give errors or nothing, never bytes from elsewhere
import os

leaks = []
with open("/file", "wb") as file:
    file.write(b"mine")
descriptor = os.open("/file", os.O_RDWR)
for offset in (5, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, -1, -(2**63)):
    for name, act in (("pread", lambda: os.pread(descriptor, 100, offset)), ("seek", lambda: (os.lseek(descriptor, offset, 0), os.read(descriptor, 100))[1]), ("seek back", lambda: (os.lseek(descriptor, offset, 2), os.read(descriptor, 100))[1] if abs(offset) > 4 else b"")):
        try:
            found = act()
            if found:
                leaks.append(f"{name} {offset} {found!r}"[:40])
        except (OSError, OverflowError, AttributeError, MemoryError):
            pass
for size in (-1, 0, 2**20):
    try:
        os.lseek(descriptor, 0, 0)
        if os.read(descriptor, size) not in (b"mine", b""):
            leaks.append(f"read {size}")
    except (OSError, OverflowError, ValueError, MemoryError):
        pass
for whence in (3, 4, 99, -1):
    try:
        os.lseek(descriptor, 0, whence)
        leaks.append(f"whence {whence}")
    except (OSError, OverflowError, ValueError):
        pass
os.close(descriptor)
try:
    os.read(descriptor, 1)
    leaks.append("closed")
except OSError:
    pass
result = leaks
