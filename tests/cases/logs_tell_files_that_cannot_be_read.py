# outcome: ok
# result: [{"error":3},5,["logs:private","logs:cut.log","logs:gone.log","logs:kept.log.gz","logs:shut.log"]]

# One file that is gone, kept back or fails half-way says nothing about the others: it is named, and what could be read
# of it counts. The host's answers are played here, since they come from files that change while they are read.
import zlib

import _intentbox
from intentbox import logs

PIECE = (b"ERROR half\n" + b" " * 1023 * 1024)[: 1 << 20].ljust(1 << 20)
FILES = {
    "logs:a.log": b"ERROR one\n",
    "logs:cut.log": PIECE,
    "logs:gone.log": ("failed", "not_found", "logs:gone.log: there is no such file"),
    "logs:kept.log.gz": zlib.compress(b"ERROR three\n", wbits=31)[:-9],
    "logs:shut.log": ("failed", "outside", "logs:shut.log: it may not be read, or leads out of its directory"),
}


def read_file(path, offset, length):
    found = FILES[path]
    if type(found) is tuple:
        return found
    if path == "logs:cut.log" and offset:
        return ("failed", "io", "logs:cut.log: stale file handle")
    return ("piece", found[offset : offset + length])


_intentbox.list_files = lambda folder: ("files", [(path, 1, 0) for path in FILES], ["logs:private"])
_intentbox.read_file = read_file

counts = logs.count("logs:")
result = [counts, counts.seen["files"], counts.seen["broken"]]
