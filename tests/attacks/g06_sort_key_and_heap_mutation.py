# row: G06
# outcome: ok
# flags: --fuel 2000000000
# about: heapq, bisect, min, max and sorted with keys that mutate what they look at
import bisect, heapq


class Evil:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        if heap:
            heap.pop()
        return self.value < getattr(other, "value", 0)


for act in (
    lambda: heapq.heapify(heap),
    lambda: heapq.heappop(heap),
    lambda: heapq.heappush(heap, Evil(-1)),
    lambda: heapq.heapreplace(heap, Evil(50)),
    lambda: heapq.heappushpop(heap, Evil(50)),
    lambda: heapq.nsmallest(5, heap),
    lambda: bisect.insort(heap, Evil(10)),
    lambda: bisect.bisect_left(heap, Evil(10)),
    lambda: min(heap),
    lambda: sorted(heap, key=lambda item: heap.clear() or item.value),
):
    heap = [Evil(i) for i in range(100)]
    try:
        act()
    except (IndexError, RuntimeError, ValueError):
        pass
result = "alive"
