import csv
import io
from collections import defaultdict
from statistics import mean
source = """date,region,product,units,price
2024-01-03,north,apple,10,1.20
2024-01-04,south,pear,4,2.00
2024-02-01,north,pear,7,1.95
2024-02-11,south,apple,12,1.10
2024-02-12,east,apple,x,1.10
"""
totals, prices, problems = defaultdict(float), defaultdict(list), []
for number, row in enumerate(csv.DictReader(io.StringIO(source)), start=2):
    try:
        units, price = int(row["units"]), float(row["price"])
    except ValueError as error:
        problems.append(f"line {number}: {error}")
        continue
    totals[row["region"], row["date"][:7]] += units * price
    prices[row["product"]].append(price)
for (region, month), amount in sorted(totals.items()):
    print(f"{region:<6} {month} {amount:8.2f}")
print({product: round(mean(values), 3) for product, values in sorted(prices.items())})
print(problems)
pivot = {}
for (region, month), amount in totals.items():
    pivot.setdefault(region, {})[month] = amount
months = sorted({m for r in pivot.values() for m in r})
print("region," + ",".join(months))
for region, row in sorted(pivot.items()):
    print(region, *(f"{row.get(m, 0):.1f}" for m in months), sep=",")
