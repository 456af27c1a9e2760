from datetime import date, datetime, time, timedelta, timezone
d = datetime(2024, 2, 28, 23, 30, 15, 123456)
print(d + timedelta(hours=1), d.date() + timedelta(days=2), d - datetime(2024, 1, 1))
print(d.isoformat(), d.isoformat(" ", "minutes"), d.strftime("%Y-%m-%d %H:%M:%S.%f %a %b %j %U %p %I %y %%"))
print(datetime.strptime("03/Mar/2024:10:05:09 +0200", "%d/%b/%Y:%H:%M:%S %z"))
print(datetime.fromisoformat("2024-05-01T10:00:00+00:00"), date.fromisoformat("2024-12-31"), time.fromisoformat("04:05"))
print(datetime.fromisoformat("2024-05-01T10:00:00Z").tzinfo, datetime.fromisoformat("20240501T1000"))
print(d.replace(day=1, microsecond=0), d.weekday(), d.isoweekday(), d.isocalendar(), d.timetuple().tm_yday)
print(date(2024, 2, 29).replace(year=2023, day=28), (date(2024, 3, 1) - date(2023, 3, 1)).days, date.min, date.max)
delta = timedelta(days=1, hours=-3, seconds=5, milliseconds=7)
print(delta, delta.total_seconds(), delta.days, delta.seconds, -delta, delta / 2, delta // timedelta(hours=1), timedelta(hours=25) % timedelta(days=1))
for text in ("2024-13-01", "2023-02-29", "today"):
    try:
        print(date.fromisoformat(text))
    except ValueError:
        print("ValueError", text)
print(sorted([date(2024, 1, 2), date(2023, 5, 6)]), date(2024, 1, 1) < date(2024, 1, 2), repr(d.time()), d.ctime())
