"""Lists the most frequent messages in the logs, equal but for numbers, ids and quoted text."""

import pack
from intentbox import logs

limit = 5
level = None
period = None
text = None
file = None

MESSAGE_CHARS_MAX = 120

found = logs.top(f"logs:{file or ''}", level=level, text=text, since=period, limit=limit)
pack.tell(found.seen)


def short(message):
    """The first line, shortened."""
    first = message.partition("\n")[0]
    return first if len(first) <= MESSAGE_CHARS_MAX else first[: MESSAGE_CHARS_MAX - 1] + "…"


result = [
    {
        "count": message["count"],
        "level": message["level"],
        "message": short(message["message"]),
        "last": message["last"] and message["last"][:19] + "Z",
        # With very many distinct messages, a count may be too high.
        **({} if found.exact else {"at_most": True}),
    }
    for message in found
]
