"""Finds the latest records in the logs that hold a text."""

import pack
from intentbox import logs, window

text = 'O'
limit = 2
level = 'error'
period = '2026-11-20T00:00:00Z/2026-11-21T00:00:00Z'
file = 'app/*.log'

since, until = window.bounds(period)
with pack.asked(file):
    found = logs.records(pack.paths(file), level=level, text=text, since=since, until=until, limit=limit)
pack.tell(found.seen, level, shown=len(found), text=text)
result = [pack.row(record) for record in found]
