"""Lists the most frequent values of a field of the records in the logs."""

import sys

import pack
from intentbox import NotFound, logs, window

field = 'ip'
limit = 10
level = None
period = None
text = None
also = None
file = None

# One of several is how people say it, and a field is not called so.
ONE = {
    "ips": "ip", "address": "ip", "addresses": "ip", "clients": "ip", "urls": "url", "paths": "path", "page": "path", "pages": "path", "endpoints": "path",
    "routes": "path", "statuses": "status", "methods": "method", "hosts": "host", "programs": "program",
    "providers": "provider", "users": "user", "exceptions": "exception", "visitors": "ip",
}

name = ONE.get(field.lower(), field)
since, until = window.bounds(period)
texts = pack.both(text, also)
with pack.asked(file):
    texts, asked = pack.status(texts, pack.paths(file), since, until)
    found = logs.values(pack.paths(file), name, level=level, **asked, since=since, until=until, limit=limit)
pack.tell(found.seen, level, text=texts, within=(file, since, until))
if found.seen["matched"] and not found:
    there = f"; there are {', '.join(found.fields[:20])}" if found.fields else ""
    raise NotFound(f"no record has a field {pack.cut(name, 60)}{there}")
if len(found) < found.distinct:
    print(f"{len(found)} of {found.distinct} values ({pack.limits(found.distinct)})", file=sys.stderr)
if found.without:
    pack.note(f"without this field: {found.without} of {found.seen['matched']} records")
result = {"field": name, "records": found.seen["matched"], "without": found.without, "values": list(found)}
# With very many distinct values, a count may be too high.
if not found.exact:
    result["at_most"] = True
    pack.note("more different values than are counted apart: each count may be too high")
