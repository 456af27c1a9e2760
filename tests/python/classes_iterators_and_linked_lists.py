class Node:
    __slots__ = ("value", "next")
    def __init__(self, value, next=None):
        self.value, self.next = value, next
class LinkedList:
    def __init__(self, items=()):
        self.head, self.size = None, 0
        for item in reversed(list(items)):
            self.push(item)
    def push(self, value):
        self.head = Node(value, self.head)
        self.size += 1
    def __iter__(self):
        node = self.head
        while node:
            yield node.value
            node = node.next
    def __len__(self):
        return self.size
    def reverse(self):
        previous, node = None, self.head
        while node:
            node.next, previous, node = previous, node, node.next
        self.head = previous
        return self
    def __repr__(self):
        return f"LinkedList({list(self)})"
l = LinkedList("abc")
l.push("z")
print(l, len(l), l.reverse(), "b" in l, max(l), bool(LinkedList()))
class Tree:
    def __init__(self, value):
        self.value, self.left, self.right = value, None, None
    def insert(self, value):
        side = "left" if value < self.value else "right"
        child = getattr(self, side)
        child.insert(value) if child else setattr(self, side, Tree(value))
        return self
    def __iter__(self):
        if self.left: yield from self.left
        yield self.value
        if self.right: yield from self.right
    def height(self):
        return 1 + max((c.height() for c in (self.left, self.right) if c), default=0)
tree = Tree(50)
for n in (30, 70, 20, 40, 60, 80, 65):
    tree.insert(n)
print(list(tree), tree.height())
class Trie(dict):
    def add(self, word):
        node = self
        for c in word:
            node = node.setdefault(c, Trie())
        node["$"] = True
    def words(self, prefix=""):
        for c, child in sorted(self.items()):
            if c == "$":
                yield prefix
            else:
                yield from child.words(prefix + c)
t = Trie()
for w in "car cart care dog".split():
    t.add(w)
print(list(t.words()), list(t["c"]["a"].words("ca")))
