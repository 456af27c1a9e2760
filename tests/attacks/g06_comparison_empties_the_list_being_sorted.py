# row: G06
# outcome: ok
# result: ["ValueError"]
# about: a comparison that mutates the list under sort() is noticed and frees nothing in use
class Evil:
    def __lt__(self, other):
        items.clear()
        items.extend(Evil() for _ in range(100))
        return True


items = [Evil() for _ in range(50)]
found = []
try:
    items.sort()
except ValueError as error:
    found.append(type(error).__name__)
result = found
