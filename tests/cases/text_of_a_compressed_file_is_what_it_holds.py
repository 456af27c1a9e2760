# outcome: ok
# result: {"texts":[true,true,true,true],"lines":20000,"csv":["a","1"],"open":true,"bytes":true,"large":"ValueError: data:a.gz holds more than N bytes: read it piece by piece with files.open","broken":"ValueError","plain":"BZh is no bzip2"}

# A log that was rotated has the same name but for its end. Bytes stay those of the file. The host's answers are played.
import bz2
import csv
import gzip
import lzma

import _intentbox

TEXT = "a,b\n1,Ærøskøbing\n" * 10_000
PACKED = gzip.compress(TEXT.encode())
CONTENT = {
    "data:a.gz": PACKED,
    "data:a.bz2": bz2.compress(TEXT.encode()),
    "data:a.xz": lzma.compress(TEXT.encode()),
    # Two members, as `cat` makes them.
    "data:two.gz": gzip.compress(TEXT[:9].encode()) + gzip.compress(TEXT[9:].encode()),
    "data:broken.gz": PACKED[:-9],
    "data:plain.txt": b"BZh is no bzip2",
}
_intentbox.read_file = lambda path, offset, length: ("piece", CONTENT[path][offset : offset + length])


def raised(function):
    try:
        return function()
    except ValueError as error:
        return f"ValueError: {error}"


names = ["data:a.gz", "data:a.bz2", "data:a.xz", "data:two.gz"]
with files.open("data:a.gz") as stream:
    lines = sum(1 for line in stream)
with files.open("data:a.xz", newline="") as stream:
    rows = csv.DictReader(stream)
    row = next(rows)
with open("data/a.bz2") as stream:
    opened = stream.read() == TEXT
result = {
    "texts": [files.read_text(name) == TEXT for name in names],
    "lines": lines,
    "csv": ["a", row["a"]],
    "open": opened,
    "bytes": files.read_bytes("data:a.gz") == PACKED and files.open("data:a.gz", "rb").read() == PACKED,
    "large": raised(lambda: files.read_text("data:a.gz", bytes_max=len(PACKED))).replace(str(len(PACKED)), "N"),
    "broken": raised(lambda: files.read_text("data:broken.gz")).split(":")[0],
    "plain": files.read_text("data:plain.txt"),
}
