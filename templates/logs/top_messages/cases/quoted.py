"""Lists the most frequent messages in the logs, equal but for numbers, ids and quoted text."""

import pack
from intentbox import logs, window

limit = 5
level = None
period = None
text = None
file = None

MESSAGE_CHARS_MAX = 120

since, until = window.bounds(period)
with pack.asked(file):
    found = logs.top(pack.paths(file), level=level, text=text, since=since, until=until, limit=limit)
pack.tell(found.seen, level, text=text)
result = [
    {
        "count": message["count"],
        "level": message["level"],
        "message": pack.cut(message["message"].partition("\n")[0], MESSAGE_CHARS_MAX),
        "last": pack.second(message["last"]),
        # With very many distinct messages, a count may be too high.
        **({} if found.exact else {"at_most": True}),
    }
    for message in found
]
