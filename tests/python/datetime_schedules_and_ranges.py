from datetime import date, datetime, time, timedelta
def days(start, end, step=1):
    while start < end:
        yield start
        start += timedelta(days=step)
print([d.isoformat() for d in days(date(2024, 2, 27), date(2024, 3, 2))], len(list(days(date(2024, 1, 1), date(2025, 1, 1)))))
meetings = [(time(9), time(10, 30)), (time(10), time(11)), (time(13), time(14)), (time(13, 30), time(13, 45))]
merged = []
for start, end in sorted(meetings):
    if merged and start <= merged[-1][1]:
        merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
    else:
        merged.append((start, end))
print([f"{a:%H:%M}-{b:%H:%M}" for a, b in merged])
free, cursor = [], time(8)
for start, end in merged + [(time(17), None)]:
    if cursor < start:
        free.append((cursor.isoformat("minutes"), start.isoformat("minutes")))
    cursor = end
print(free)
def ago(moment, now):
    seconds = int((now - moment).total_seconds())
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            n = seconds // size
            return f"{n} {name}{'s' * (n > 1)} ago"
    return "just now"
now = datetime(2024, 5, 10, 12)
print([ago(now - timedelta(**d), now) for d in ({"seconds": 5}, {"minutes": 1}, {"hours": 5}, {"days": 40})])
def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return date(year, f // 31, f % 31 + 1)
print([str(easter(y)) for y in (2023, 2024, 2025)])
print(max(date(2024, 1, 5), date(2023, 12, 31)), (date(2024, 12, 25) - date(2024, 5, 10)).days, date(1999, 12, 31).strftime("%A, %d. %B %Y"))
