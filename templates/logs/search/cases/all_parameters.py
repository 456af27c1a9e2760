"""Finds the latest records in the logs that hold a text."""

import pack
from intentbox import logs

text = 'O'
limit = 2
level = 'error'
period = '3650d'
file = 'app/*.log'

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
