from itertools import accumulate, pairwise
from statistics import fmean, stdev
series = [10.0, 10.5, 9.8, 10.2, 30.1, 10.1, 9.9, 10.4]
average = [round(fmean(series[max(0, i - 2):i + 1]), 3) for i in range(len(series))]
print(average)
center, spread = fmean(series), stdev(series)
print([(i, x) for i, x in enumerate(series) if abs(x - center) > 2 * spread], f"{center:.3f} ± {spread:.3f}")
print([round(b - a, 2) for a, b in pairwise(series)], [f"{(b / a - 1):+.1%}" for a, b in pairwise(series[:4])])
print([round(x, 1) for x in accumulate(series)], list(accumulate([3, 1, 4, 1, 5], max)))
smooth, alpha, out = series[0], 0.3, []
for value in series:
    smooth = alpha * value + (1 - alpha) * smooth
    out.append(round(smooth, 4))
print(out)
best, current, start = (float("-inf"), 0, 0), 0, 0
deltas = [-2, 1, -3, 4, -1, 2, 1, -5, 4]
for i, d in enumerate(deltas):
    if current <= 0:
        current, start = 0, i
    current += d
    best = max(best, (current, start, i))
print(best, round(sum(x * y for x, y in zip(series, range(8))) / sum(range(8)), 6))
