from collections import deque
grid = ["S.#.....", ".##.###.", "....#...", "###.#.#.", "......#E"]
def find(char):
    return next((r, row.index(char)) for r, row in enumerate(grid) if char in row)
def shortest(start, goal):
    queue, came = deque([start]), {start: None}
    while queue:
        here = queue.popleft()
        if here == goal:
            path = []
            while here:
                path.append(here)
                here = came[here]
            return path[::-1]
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            r, c = here[0] + dr, here[1] + dc
            if 0 <= r < len(grid) and 0 <= c < len(grid[0]) and grid[r][c] != "#" and (r, c) not in came:
                came[r, c] = here
                queue.append((r, c))
path = shortest(find("S"), find("E"))
print(len(path), path[:4])
shown = [list(row) for row in grid]
for r, c in path[1:-1]:
    shown[r][c] = "*"
print("\n".join("".join(row) for row in shown))
def components(edges):
    parent = {}
    def root(x):
        parent.setdefault(x, x)
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x
    for a, b in edges:
        parent[root(a)] = root(b)
    groups = {}
    for node in parent:
        groups.setdefault(root(node), []).append(node)
    return sorted(sorted(g) for g in groups.values())
print(components([("a", "b"), ("c", "d"), ("b", "e"), ("f", "f")]))
