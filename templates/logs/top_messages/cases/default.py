"""Lists the most frequent messages in the logs, equal but for numbers, ids and quoted text."""

import sys

import pack
from intentbox import logs, window

limit = 5
level = None
at_least = None
period = None
text = None
also = None
file = None

MESSAGE_CHARS_MAX = 120

since, until = window.bounds(period)
texts = pack.both(text, also)
with pack.asked(file):
    texts, asked = pack.status(texts, pack.paths(file), since, until)
    found = logs.top(pack.paths(file), level=pack.levels(level, at_least), **asked, since=since, until=until, limit=limit)
pack.tell(found.seen, level, text=texts, within=(file, since, until))
if len(found) < found.distinct:
    print(f"{len(found)} of {found.distinct} messages ({pack.limits(found.distinct)})", file=sys.stderr)


def first_line(text):
    return pack.cut(text.partition("\n")[0], MESSAGE_CHARS_MAX)


result = []
for message in found:
    example = first_line(message["message"])
    # What all of them say: of several, no single one happened that often.
    pattern = example if message["count"] == 1 else pack.cut(message["pattern"], MESSAGE_CHARS_MAX)
    result.append({
        "count": message["count"],
        "level": message["level"],
        "message": pattern,
        "last": pack.second(message["last"]),
        # With very many distinct messages, a count may be too high.
        **({} if found.exact else {"at_most": True}),
        "example": example,
    })
if all(row["example"] == row["message"] for row in result):
    for row in result:
        del row["example"]
