# row: E11
# outcome: ok
# result: []
# about: marshal data that claims gigabytes is refused before memory is taken for it
import marshal, struct

leaks = []
for kind in b"[(<>sutaAzZ){cxlir)":
    for size in (2**31 - 1, -1, -(2**31), 2**28, 255):
        for tail in (b"", b"N" * 10):
            try:
                marshal.loads(bytes([kind]) + struct.pack("<i", size) + tail)
            except (ValueError, EOFError, TypeError, OverflowError, MemoryError, UnicodeError):
                pass
result = leaks
