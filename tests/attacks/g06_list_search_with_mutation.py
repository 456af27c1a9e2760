# row: G06
# outcome: ok
# result: "alive"
# about: index, count, remove, in and == on lists whose elements shrink the list must end without a crash
class Evil:
    def __eq__(self, other):
        del items[:]
        return False

    __hash__ = None


for act in ("index", "count", "remove", "__contains__", "__eq__", "__lt__"):
    items = [Evil() for _ in range(64)]
    try:
        getattr(items, act)([Evil() for _ in range(64)] if act in ("__eq__", "__lt__") else object())
    except (ValueError, TypeError):
        pass
result = "alive"
