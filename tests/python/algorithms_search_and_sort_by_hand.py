def quicksort(items):
    if len(items) < 2:
        return items
    pivot, *rest = items
    return quicksort([x for x in rest if x < pivot]) + [pivot] + quicksort([x for x in rest if x >= pivot])
def merge_sort(items):
    if len(items) < 2:
        return items
    half = len(items) // 2
    left, right, out = merge_sort(items[:half]), merge_sort(items[half:]), []
    while left and right:
        out.append((left if left[0] <= right[0] else right).pop(0))
    return out + left + right
def binary_search(items, target):
    low, high = 0, len(items)
    while low < high:
        mid = (low + high) // 2
        if items[mid] < target:
            low = mid + 1
        else:
            high = mid
    return low if low < len(items) and items[low] == target else -1
data = [(n * 7919) % 101 for n in range(60)]
print(quicksort(data) == merge_sort(data) == sorted(data), quicksort(data)[:5])
ordered = sorted(set(data))
print(binary_search(ordered, ordered[7]), binary_search(ordered, -5))
def sieve(limit):
    flags = bytearray([1]) * (limit + 1)
    flags[:2] = b"\0\0"
    for n in range(2, int(limit ** 0.5) + 1):
        if flags[n]:
            flags[n * n::n] = bytes(len(range(n * n, limit + 1, n)))
    return [n for n, flag in enumerate(flags) if flag]
print(len(sieve(10000)), sieve(50), sum(sieve(1000)))
