import re
from datetime import datetime, timedelta
log = """\
127.0.0.1 - ada [01/May/2024:10:00:00 +0000] "GET /index.html HTTP/1.1" 200 512
127.0.0.1 - ada [01/May/2024:10:05:00 +0000] "POST /login HTTP/1.1" 302 0
10.0.0.7 - - [01/May/2024:10:06:10 +0000] "GET /admin HTTP/1.1" 403 17
127.0.0.1 - ada [01/May/2024:11:00:00 +0000] "GET /a?b=c HTTP/1.1" 500 -
garbage line"""
pattern = re.compile(r'(?P<ip>\S+) \S+ (?P<user>\S+) \[(?P<time>[^\]]+)\] "(?P<method>\w+) (?P<path>\S+) [^"]*" (?P<status>\d{3}) (?P<size>\d+|-)')
months = {m: i for i, m in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
hits, skipped = [], 0
for line in log.splitlines():
    m = pattern.match(line)
    if not m:
        skipped += 1
        continue
    day, month, rest = m["time"].split("/", 2)
    year, hour, minute, second = re.match(r"(\d+):(\d+):(\d+):(\d+)", rest).groups()
    when = datetime(int(year), months[month], int(day), int(hour), int(minute), int(second))
    hits.append({**m.groupdict(), "when": when, "size": 0 if m["size"] == "-" else int(m["size"])})
sessions = {}
for hit in hits:
    mine = sessions.setdefault(hit["ip"], [])
    if mine and hit["when"] - mine[-1][-1]["when"] <= timedelta(minutes=30):
        mine[-1].append(hit)
    else:
        mine.append([hit])
for ip, groups in sorted(sessions.items()):
    print(ip, [(len(g), str(g[-1]["when"] - g[0]["when"])) for g in groups])
print(sum(h["size"] for h in hits), skipped, [h["path"] for h in hits if h["status"][0] in "45"])
