# row: E12
# outcome: ok
# about: dates, differences, zones and formats at and beyond the years 1 and 9999
import datetime, time

D, T, Z = datetime.datetime, datetime.timedelta, datetime.timezone


class Zone(datetime.tzinfo):
    def __init__(self, offset):
        self.offset = offset

    def utcoffset(self, _):
        return self.offset

    dst = tzname = utcoffset


acts = [lambda: D.max + T(microseconds=1), lambda: D.min - T(1), lambda: T.max + T(1), lambda: T(days=10**9), lambda: T.max * 2**70, lambda: T.max / 1e-300, lambda: T.min // T.resolution,
        lambda: abs(T.min), lambda: -T.min, lambda: divmod(T.max, T.resolution), lambda: T.max % T.resolution, lambda: T(1) / 0, lambda: T(float("nan")), lambda: T(seconds=1e300),
        lambda: D.fromtimestamp(2**62), lambda: D.fromtimestamp(-(2**62)), lambda: D.fromtimestamp(float("nan")), lambda: D.fromordinal(0), lambda: D.fromordinal(2**62), lambda: datetime.date.fromisocalendar(9999, 53, 7),
        lambda: D.min.astimezone(Z(T(hours=23))), lambda: D.max.astimezone(Z(-T(hours=23))), lambda: Z(T(hours=24)), lambda: D.min.replace(tzinfo=Z(T(hours=23))).timestamp(), lambda: D.max.timestamp(),
        lambda: D.strptime("9" * 10000, "%Y"), lambda: D.strptime("\ud800", "\ud800"), lambda: D.max.strftime("%" * 1001), lambda: D.max.strftime("%s%Q%\0%E%O%5000000000d"), lambda: D.min.strftime("%G%V%u%c"),
        lambda: time.strftime("%", (0,) * 9), lambda: time.strftime("%c" * 100_000), lambda: time.strftime("%Y", (2**31, 0, 0, 0, 0, 0, 0, 0, 0)), lambda: time.mktime((2**31 - 1,) * 9), lambda: time.mktime((-(2**31),) * 9),
        lambda: time.gmtime(2**60), lambda: time.localtime(-(2**60)), lambda: time.gmtime(float("inf")), lambda: time.ctime(2**55), lambda: time.asctime((10**9,) + (1,) * 8), lambda: time.asctime((1, 99, 99, 99, 99, 99, 99, 99, 99)),
        lambda: D.fromisoformat("9" * 1000), lambda: D.fromisoformat("2026-01-01T00:00:00+99:99"), lambda: D.fromisoformat("2026-W99-9"), lambda: D.fromisoformat("\U0001f600" * 10), lambda: datetime.time.fromisoformat("24:00:00.0000000001"),
        lambda: D.now(Zone(5)).isoformat(), lambda: D.now(Zone(T(days=99))).isoformat(), lambda: hash(D(2026, 1, 1, tzinfo=Zone("x"))), lambda: D(2026, 1, 1, tzinfo=Zone(T(days=1))) < D.now(Z.utc),
        lambda: D(b"\xff" * 10), lambda: D(b"\0" * 10), lambda: datetime.time(b"\xff" * 6), lambda: datetime.date(b"\xff" * 4), lambda: D.max.replace(fold=5), lambda: T.max.__reduce__()[0](*([2**62] * 3)), lambda: D.max.isocalendar()[0] and datetime.date.max.__add__(T.max)]
for act in acts:
    try:
        act()
    except Exception:
        pass
result = "alive"
