# row: G10
# outcome: ok
# result: []
# about: a stream in memory that is written far behind its end is refused or out of memory
import io

leaks = []
for position in (2**40, 2**62, 2**63 - 1):
    for make, piece in ((io.BytesIO, b"x"), (io.StringIO, "x")):
        stream = make()
        try:
            stream.seek(position)
            stream.write(piece)
            leaks.append(f"{make.__name__} {position}")
        except (OverflowError, MemoryError, ValueError, OSError, TypeError):
            pass
        try:
            stream.truncate(position)
            stream.read(position)
        except (OverflowError, MemoryError, ValueError, OSError):
            pass
result = leaks
