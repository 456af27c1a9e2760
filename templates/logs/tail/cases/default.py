"""Shows the newest lines of the logs, the oldest of them first."""

import pack
from intentbox import logs, window

limit = 10
level = None
period = None
text = None
file = None

since, until = window.bounds(period)
with pack.asked(file):
    found = logs.records(pack.paths(file), level=level, text=text, since=since, until=until, limit=limit)
pack.tell(found.seen, level, text=text, within=(file, since, until))
pack.tell_worse(found, level)


def line(record):
    """A record with the first line of its message alone."""
    return pack.row({**record, "message": record["message"].partition("\n")[0]})


result = [line(record) for record in found]
