class Inventory:
    def __init__(self):
        self._items = {}
    def __getitem__(self, name):
        return self._items[name]
    def __setitem__(self, name, count):
        if count < 0:
            raise ValueError(name)
        self._items[name] = count
    def __delitem__(self, name):
        del self._items[name]
    def __contains__(self, name):
        return name in self._items
    def __iter__(self):
        return iter(sorted(self._items))
    def __len__(self):
        return len(self._items)
    def __missing__(self, name):
        return 0
    def __call__(self, factor):
        return {name: count * factor for name, count in self._items.items()}
    def __reversed__(self):
        return reversed(sorted(self._items))
stock = Inventory()
stock["pear"], stock["apple"] = 3, 5
stock["pear"] += 1
print(list(stock), len(stock), "pear" in stock, stock["pear"], stock(2), list(reversed(stock)))
del stock["pear"]
try:
    stock["pear"]
except KeyError as error:
    print("KeyError", error)
class Default(dict):
    def __missing__(self, key):
        self[key] = value = key * 2
        return value
d = Default(a="x")
print(d["a"], d["b"], d, d.get("c"))
class Matrix:
    def __getitem__(self, key):
        return key
print(Matrix()[1, 2:3, ...], Matrix()[::2])
