"""Lists the latest errors in the logs, with the end of their tracebacks."""

import pack
from intentbox import logs, window

limit = 5
level = 'error'
order = 'latest'
only = None
trace = None
period = None
text = None
also = None
file = None

since, until = window.bounds(period)
texts = pack.both(text, also)
with pack.asked(file):
    texts, asked = pack.status(texts, pack.paths(file), since, until)
    if only and order == "latest":
        found = pack.of_level(level, file, texts, asked, since, until, limit)
    else:
        find = pack.oldest if order == "oldest" else logs.records
        found = find(pack.paths(file), level=[level] if only else level, **asked, since=since, until=until, limit=limit)
        pack.tell(found.seen, level, shown=len(found), text=texts, within=(file, since, until))
        pack.tell_worse(found, level)
result = [pack.row(record) for record in found]
if trace:
    for row, record in zip(result, found):
        row["trace"] = pack.lines(record["message"])
