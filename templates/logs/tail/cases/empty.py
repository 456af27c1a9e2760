"""Shows the newest lines of the logs, the oldest of them first."""

import pack
from intentbox import logs

limit = 10
level = None
period = None
text = None
file = None

LINE_CHARS_MAX = 160

found = logs.records(f"logs:{file or ''}", level=level, text=text, since=period, limit=limit)
pack.tell(found.seen)


def line(record):
    """Time, level, file and the first line of the message, shortened."""
    time = record["time"][:19] + "Z" if record["time"] else "-"
    name = record["file"].rpartition("/")[2].removeprefix("logs:")[:60]
    first = record["message"].partition("\n")[0]
    if len(first) > LINE_CHARS_MAX:
        first = first[: LINE_CHARS_MAX - 1] + "…"
    return f"{time} {record['level']} {name} {first}"


result = [line(record) for record in found]
