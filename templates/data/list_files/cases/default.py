"""Lists the data files of the directory, with their size, and their rows where counting is cheap."""

import sys

import pack
from intentbox import HostCallFailed, tables

kind = None
limit = 20
order = 'size'

# Bytes of all files, and of what is packed in one, up to which rows are counted: a second or two.
COUNTED_BYTES_MAX = 64 << 20


def row_count(path):
    """How many rows a file has, as whoever asks for that is told; nothing for more than can be counted quickly."""
    if path.lower().endswith(".gz"):
        size = 0
        for piece in pack.pieces(path):
            size += len(piece)
            if size > COUNTED_BYTES_MAX:
                return None
    return tables.summarize(f"data:{path}")["groups"][0]["rows"]


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
    if entry["bytes"] > left:
        continue
    left -= entry["bytes"]
    try:
        entry["rows"] = row_count(entry["file"])
    except (ValueError, FileNotFoundError, HostCallFailed):
        # No sound gzip file or no table, gone by now, or kept back: that says nothing about the others. What is wrong
        # with it is what whoever describes it is told.
        broken.add(entry["file"])
if broken:
    # In each, since rows with the same keys are shown as a table.
    for entry in result:
        entry["broken"] = entry["file"] in broken
