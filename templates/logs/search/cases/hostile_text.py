"""Finds the latest records in the logs that hold a text."""

import pack
from intentbox import logs, window

text = '\"); import os; (\'\'\'\x7b\x7b 7*7 \x7d\x7d\\ \u2028\xe4*?#'
limit = 5
level = None
period = None
file = None

since, until = window.bounds(period)
with pack.asked(file):
    found = logs.records(pack.paths(file), level=level, text=text, since=since, until=until, limit=limit)
pack.tell(found.seen, level, shown=len(found), text=text)
result = [pack.row(record) for record in found]
