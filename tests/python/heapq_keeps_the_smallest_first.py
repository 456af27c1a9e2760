import heapq
heap = []
for n in [5, 1, 8, 3, 2]:
    heapq.heappush(heap, n)
print(heap[0], [heapq.heappop(heap) for _ in range(3)], heap)
data = [9, 4, 7, 1]
heapq.heapify(data)
print(heapq.heappushpop(data, 0), heapq.heapreplace(data, 10), data[0], heapq.nlargest(2, data), heapq.nsmallest(2, [("b", 2), ("a", 3)], key=lambda p: p[1]))
print(list(heapq.merge([1, 4], [2, 3], [0, 9])), list(heapq.merge(["b", "aa"], ["ccc"], key=len)))
def dijkstra(graph, start):
    distance, queue = {start: 0}, [(0, start)]
    while queue:
        d, node = heapq.heappop(queue)
        if d > distance[node]:
            continue
        for neighbour, weight in graph.get(node, {}).items():
            if (new := d + weight) < distance.get(neighbour, float("inf")):
                distance[neighbour] = new
                heapq.heappush(queue, (new, neighbour))
    return distance
print(dijkstra({"a": {"b": 7, "c": 3}, "c": {"b": 1, "d": 8}, "b": {"d": 2}}, "a"))
import itertools
tie = itertools.count()
tasks = []
for priority, name in ((2, "write"), (1, "plan"), (2, "test")):
    heapq.heappush(tasks, (priority, next(tie), {"task": name}))
print([heapq.heappop(tasks)[2]["task"] for _ in range(3)])
