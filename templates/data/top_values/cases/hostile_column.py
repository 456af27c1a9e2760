"""Counts the values of a column and shows the most frequent ones."""

import heapq

import pack

file = 'sales.csv'
column = '\"); import os; (\'\'\'\x7b\x7b 7*7 \x7d\x7d'
limit = 10

VALUES_MAX = 100_000  # different values that are counted; beyond, the rarer half is let go

table = pack.Table(file)
cell = table.cell(column)
counts = {}
rows = missing = too_low = 0
for row in table.rows:
    rows += 1
    value = cell(row)
    if value is None or value == "":
        missing += 1
        continue
    value = pack.text(value)
    if len(value) > 200:
        value = pack.short(value, 200)
    counts[value] = counts.get(value, 0) + 1
    if len(counts) > VALUES_MAX:
        # All counts are lowered alike, so that each is too low by as much as was let go, at most.
        floor = sorted(counts.values())[len(counts) // 2]
        too_low += floor
        counts = {value: count - floor for value, count in counts.items() if count > floor}

top = heapq.nsmallest(limit, counts.items(), key=lambda item: (-item[1], item[0]))
result = {
    "file": table.file,
    "column": table.column(column),
    "rows": rows,
    "missing": missing,
    "values": [{"value": pack.short(value, 80), "rows": count} for value, count in top],
}
if too_low:
    result["too_low_by_at_most"] = too_low
else:
    result["different_values"] = len(counts)
