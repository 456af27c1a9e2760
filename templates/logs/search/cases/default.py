"""Finds the latest records in the logs that hold a text."""

import pack
from intentbox import logs, window

text = 'timeout'
also = None
limit = 5
order = 'latest'
level = None
period = None
file = None

since, until = window.bounds(period)
texts = pack.both(text, also)
with pack.asked(file):
    find = pack.oldest if order == "oldest" else logs.records
    texts, asked = pack.status(texts, pack.paths(file), since, until)
    found = find(pack.paths(file), level=level, **asked, since=since, until=until, limit=limit)
pack.tell(found.seen, level, shown=len(found), text=texts, within=(file, since, until))
pack.tell_worse(found, level)
result = [pack.row(record) for record in found]
