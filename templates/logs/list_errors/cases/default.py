"""Lists the latest errors in the logs, with the end of their tracebacks."""

import pack
from intentbox import logs, window

limit = 5
level = 'error'
only = None
trace = None
period = None
text = None
file = None

since, until = window.bounds(period)
with pack.asked(file):
    if only:
        found = pack.of_level(level, file, text, since, until, limit)
    else:
        found = logs.records(pack.paths(file), level=level, text=text, since=since, until=until, limit=limit)
        pack.tell(found.seen, level, shown=len(found), text=text, within=(file, since, until))
        pack.tell_worse(found, level)
result = [pack.row(record) for record in found]
if trace:
    for row, record in zip(result, found):
        row["trace"] = pack.lines(record["message"])
