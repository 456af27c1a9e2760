import math
from statistics import mean, quantiles
latencies = [12, 15, 11, 340, 22, 18, 16, 14, 95, 13, 17, 19, 21, 16, 15, 1200, 14, 13, 18, 20]
def percentile(values, p):
    ordered = sorted(values)
    return ordered[max(0, math.ceil(p / 100 * len(ordered)) - 1)]
print(f"n={len(latencies)} mean={mean(latencies):.1f} p50={percentile(latencies, 50)} p95={percentile(latencies, 95)} max={max(latencies)}")
buckets = {}
for value in latencies:
    buckets[2 ** math.floor(math.log2(value))] = buckets.get(2 ** math.floor(math.log2(value)), 0) + 1
widest = max(buckets.values())
for low in sorted(buckets):
    print(f"{low:>5}-{low * 2 - 1:<5} {'█' * round(buckets[low] / widest * 30):<30} {buckets[low]:>3}")
def human(n):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(n) < 1024 or unit == "GiB":
            return f"{n:.1f} {unit}" if unit != "B" else f"{n} B"
        n /= 1024
print([human(n) for n in (0, 1023, 1024, 1536, 10 ** 6, 5 * 2 ** 30, -2048)])
def duration(seconds):
    minutes, s = divmod(int(seconds), 60)
    hours, m = divmod(minutes, 60)
    return (f"{hours}h " if hours else "") + (f"{m}m " if m or hours else "") + f"{s}s"
print([duration(s) for s in (5, 65, 3600, 86399)], "▁▂▃▄▅▆▇█"[3], quantiles(latencies, n=4))
