# row: E04
# outcome: ok
# result: []
# about: time zone keys with dots, slashes, NUL and absolute paths read nothing outside
import os, time

leaks = []
try:
    import zoneinfo

    for key in ("../../../etc/passwd", "/etc/passwd", "..", ".", "", "UTC\0", "a/../../../../etc/hostname", "posix/../../../../etc/hostname", "\ud800", "x" * 100_000, "UTC/"):
        try:
            zoneinfo.ZoneInfo(key)
            leaks.append(key[:30])
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
            pass
    zoneinfo.reset_tzpath(to=["/etc", "/proc/self", "/"])
    for key in ("passwd", "environ", "hostname"):
        try:
            zoneinfo.ZoneInfo(key)
            leaks.append(key)
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
            pass
except ImportError:
    pass
for zone in (":/etc/passwd", "/etc/passwd", ":../../etc/passwd", "A" * 100_000, "\x1b[2J"):
    try:
        os.environ["TZ"] = zone
        time.tzset()
        time.localtime()
    except (OSError, AttributeError, ValueError):
        pass
result = leaks
