import copy
original = {"list": [1, [2, 3]], "set": {1}, "n": 5}
shallow, deep = copy.copy(original), copy.deepcopy(original)
original["list"][1].append(4)
original["n"] = 6
print(shallow, deep, shallow["list"] is original["list"])
class Node:
    def __init__(self, name):
        self.name, self.parent, self.children = name, None, []
    def add(self, child):
        child.parent = self
        self.children.append(child)
        return self
root = Node("root").add(Node("leaf"))
twin = copy.deepcopy(root)
print(twin.children[0].parent is twin, twin.children[0] is not root.children[0], twin.name)
class Handle:
    def __init__(self, n): self.n = n
    def __copy__(self): return Handle(self.n + 1)
    def __deepcopy__(self, memo): return Handle(self.n + 100)
print(copy.copy(Handle(1)).n, copy.deepcopy([Handle(1)])[0].n)
loop = []
loop.append(loop)
again = copy.deepcopy(loop)
print(again[0] is again, copy.copy((1, 2)), copy.deepcopy(len) is len)
