import timeit
import time
calls = []
elapsed = timeit.timeit(lambda: calls.append(1), number=50)
print(len(calls), 0 <= elapsed < 5, len(timeit.repeat("1 + 1", number=10, repeat=3)))
def timed(function):
    def inner(*args):
        start = time.perf_counter()
        result = function(*args)
        inner.times.append(time.perf_counter() - start)
        return result
    inner.times = []
    return inner
@timed
def work(n):
    return sum(range(n))
print(work(1000), work(10), len(work.times), all(t >= 0 for t in work.times))
import pprint
config = {"name": "x", "values": list(range(30)), "nested": {"deep": {"deeper": ["a" * 20, "b" * 20, "c" * 20]}}, 3: None}
pprint.pprint(config, width=50, compact=True, sort_dicts=False)
pprint.pprint(config, depth=1, sort_dicts=False)
print(pprint.isreadable(config), pprint.isrecursive(config))
import gettext, locale
print(gettext.gettext("plain"), gettext.ngettext("item", "items", 2), locale.getlocale(locale.LC_NUMERIC)[0], f"{1234567:n}")
import calendar
print(calendar.TextCalendar(6).formatmonth(2024, 6).splitlines()[1], len(calendar.HTMLCalendar().formatmonth(2024, 1)) > 500)
