"""Lists the latest errors in the logs, with the end of their tracebacks."""

import pack
from intentbox import logs, window

limit = 5
level = 'error'
period = None
text = None
file = None

since, until = window.bounds(period)
with pack.asked(file):
    found = logs.records(pack.paths(file), level=level, text=text, since=since, until=until, limit=limit)
pack.tell(found.seen, level, shown=len(found), text=text, within=(file, since, until))
pack.tell_worse(found, level)
result = [pack.row(record) for record in found]
