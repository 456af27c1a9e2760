# row: G20
# outcome: ok
# flags: --fuel 20000000000
# result: []
# about: names of a megabyte and folders without end are refused at some size, and the path walk never crashes
import os

leaks = []
for length in (256, 4097, 1 << 20):
    try:
        os.mkdir("/" + "n" * length)
        leaks.append(f"name of {length}")
    except (OSError, ValueError):
        pass
path, depth = "", 0
try:
    for depth in range(20_000):
        path += "/d"
        os.mkdir(path)
    leaks.append("20,000 levels")
except (OSError, ValueError):
    pass
for path in ("/" + "../" * 100_000 + "etc/passwd", "/" + "./" * 100_000, "/" * 100_000, "/d" * 100_000):
    try:
        with open(path):
            leaks.append("open")
    except (OSError, ValueError):
        pass
result = leaks
