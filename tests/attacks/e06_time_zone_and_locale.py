# row: E06
# outcome: ok
# result: []
# about: the local time is UTC and the locale is C, whatever the host's are
import time

leaks = []
for name in ("timezone", "altzone", "daylight"):
    if getattr(time, name, 0):
        leaks.append(name)
if set(getattr(time, "tzname", ())) - {"UTC", "GMT", ""}:
    leaks.append(str(time.tzname))
if time.localtime(0)[:6] != (1970, 1, 1, 0, 0, 0):
    leaks.append("local time")
try:
    import locale

    for name in (locale.setlocale(locale.LC_ALL), locale.getlocale()[0]):
        if name not in (None, "C", "C.UTF-8", "POSIX"):
            leaks.append(str(name))
except (ImportError, AttributeError, ValueError):
    pass
result = leaks
