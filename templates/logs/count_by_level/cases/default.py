"""Counts the records in the logs by level, by file or by time."""

from datetime import datetime

import pack
from intentbox import logs, window

by = 'level'
level = None
at_least = None
period = None
text = None
also = None
file = None

KEYS_MAX = 72
SPANS = {"minute": 60, "hour": 3600, "day": 86400}

since, until = window.bounds(period)
texts = pack.both(text, also)
levels = pack.levels(level, at_least)
with pack.asked(file):
    texts, asked = pack.status(texts, pack.paths(file), since, until)
    counts = logs.count(pack.paths(file), by=by, level=levels, **asked, since=since, until=until)
pack.tell(counts.seen, level, text=texts, within=(file, since, until))
# Nobody who counts the lines that say ERROR finds these.
seen = counts.seen
if levels == ["fatal", "error"] and by != "level" and seen["fatal"]:
    pack.note(f"fatal: {seen['fatal']} of {seen['matched']} (at_least=false leaves them out)")
if levels is not None and 0 < seen["requests"] < seen["matched"]:
    pack.note(f"requests in access logs, by their status (5xx error, 4xx warning): {seen['requests']} of {seen['matched']}")
if by == "file" and len(counts) == 1:
    pack.note("counted by file, and one alone has such records; logs/top_values counts by a field of theirs")
if by in SPANS:
    times = [datetime.fromisoformat(key.rstrip("Z")) for key in counts if key[:1].isdigit()]
    if times and (times[-1] - times[0]).total_seconds() // SPANS[by] + 1 > len(times):
        pack.note(f"each {by} without any is left out")
# Files with the most records come first, and of more keys than are shown, those and the latest times are.
shown = sorted(counts, key=lambda key: -counts[key])[:KEYS_MAX] if by == "file" else list(counts)[-KEYS_MAX:]
few = {pack.file(key): counts[key] for key in shown}
result = {"records": sum(counts.values()), "counts": few}
if len(shown) < len(counts):
    result["not_shown"] = len(counts) - len(shown)
if counts.seen["broken"]:
    result["broken_files"] = len(counts.seen["broken"])
