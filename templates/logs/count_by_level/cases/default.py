"""Counts the records in the logs by level, by file or by time."""

import pack
from intentbox import logs

by = 'level'
level = None
period = None
text = None
file = None

KEYS_MAX = 24

counts = logs.count(f"logs:{file or ''}", by=by, level=level, text=text, since=period)
pack.tell(counts.seen)
shown = list(counts)
if len(shown) > KEYS_MAX:
    # Of files those with most records, of times the latest.
    shown = sorted(counts, key=counts.get)[-KEYS_MAX:] if by == "file" else shown[-KEYS_MAX:]
few = {key: counts[key] for key in counts if key in shown}
result = {"records": sum(counts.values()), "counts": few}
if len(shown) < len(counts):
    result["not_shown"] = len(counts) - len(shown)
if counts.seen["broken"]:
    result["broken_files"] = len(counts.seen["broken"])
