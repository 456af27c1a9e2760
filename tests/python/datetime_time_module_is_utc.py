import time
moment = time.gmtime(1_700_000_000)
print(tuple(moment), moment.tm_year, moment.tm_wday)
print(time.strftime("%Y-%m-%dT%H:%M:%SZ", moment), time.strftime("%d %B %Y", time.strptime("5 March 2024", "%d %B %Y")))
print(time.localtime(0)[:6], time.mktime(time.localtime(86400)) , time.asctime(time.gmtime(0)))
print(time.tzname, time.timezone, time.daylight, time.altzone)
start = time.perf_counter()
time.sleep(0.01)
elapsed = time.perf_counter() - start
print(0.009 < elapsed < 2, time.time() > 1_600_000_000, time.monotonic() <= time.monotonic(), type(time.time_ns()).__name__)
