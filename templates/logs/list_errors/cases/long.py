"""Lists the latest errors in the logs, with the end of their tracebacks."""

import pack
from intentbox import logs

limit = 5
level = 'error'
period = None
text = None
file = None

MESSAGE_CHARS_MAX = 120

found = logs.records(f"logs:{file or ''}", level=level, text=text, since=period, limit=limit)
pack.tell(found.seen)


def short(message):
    """The first line, and what a traceback ends with."""
    lines = [line for line in message.split("\n") if line.strip()]
    text = lines[0].strip() if lines else ""
    if len(lines) > 1 and not lines[-1][0].isspace():
        text += " … " + lines[-1]
    return text if len(text) <= MESSAGE_CHARS_MAX else text[: MESSAGE_CHARS_MAX - 1] + "…"


def second(time):
    return time and time[:19] + "Z"


result = [
    {
        "time": second(record["time"]),
        "level": record["level"],
        "file": record["file"],
        "message": short(record["message"]),
    }
    for record in found
]
