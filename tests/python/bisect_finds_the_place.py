import bisect
grades = [60, 70, 80, 90]
print([("F", "D", "C", "B", "A")[bisect.bisect(grades, score)] for score in (33, 60, 79, 90, 100)])
items = [1, 3, 3, 5]
print(bisect.bisect_left(items, 3), bisect.bisect_right(items, 3), bisect.bisect_left(items, 4), bisect.bisect(items, 3, 0, 2))
bisect.insort(items, 4)
bisect.insort_left(items, 3)
print(items)
rows = [{"at": 1}, {"at": 5}, {"at": 9}]
print(bisect.bisect_left(rows, 5, key=lambda r: r["at"]))
bisect.insort(rows, {"at": 7}, key=lambda r: r["at"])
print([r["at"] for r in rows])
def within(sorted_items, low, high):
    return sorted_items[bisect.bisect_left(sorted_items, low):bisect.bisect_right(sorted_items, high)]
print(within([1, 4, 6, 8, 10], 4, 8), within([1, 2], 5, 9))
