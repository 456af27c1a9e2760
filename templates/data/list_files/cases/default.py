"""Lists the data files of the directory, with their size, and their rows where counting is cheap."""

import sys

import pack
from intentbox import HostCallFailed

kind = None
limit = 20
order = 'size'

# Bytes of files, and of what is packed in one, up to which rows are counted.
COUNTED_BYTES_MAX = 8 << 20
UNPACKED_BYTES_MAX = 64 << 20


def line_count(path):
    """How many lines hold something. A quoted cell with a line end counts as two, so it is an estimate for CSV."""
    lines, last, size = 0, b"\n", 0
    for piece in pack.pieces(path):
        size += len(piece)
        if size > UNPACKED_BYTES_MAX:
            return None
        lines += piece.count(b"\n") - piece.count(b"\n\n")
        last = piece[-1:]
    return lines + (last != b"\n")


found = []
for entry in files.list("data:"):
    path = entry["path"].partition(":")[2]
    if pack.kind(path) and kind in (None, pack.kind(path)):
        found.append({"file": path, "kind": pack.kind(path), "bytes": entry["bytes"], "rows": None})
found.sort(key=lambda entry: entry["file"] if order == "name" else -entry["bytes"])

result = found[:limit]
if len(found) > limit:
    print(f"{len(found) - limit} more files are not listed", file=sys.stderr)

broken = set()
left = COUNTED_BYTES_MAX
for entry in result:
    if entry["kind"] == "json" or entry["bytes"] > left:
        continue  # an array would have to be parsed
    left -= entry["bytes"]
    try:
        lines = line_count(entry["file"])
    except (ValueError, FileNotFoundError, HostCallFailed):
        # No sound gzip file, gone by now, or kept back: that says nothing about the others. What is wrong with it is
        # what whoever describes it is told.
        broken.add(entry["file"])
        continue
    if lines is not None:
        entry["rows"] = lines if entry["kind"] == "jsonl" else max(0, lines - 1)
if broken:
    # In each, since rows with the same keys are shown as a table.
    for entry in result:
        entry["broken"] = entry["file"] in broken
