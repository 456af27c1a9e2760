import operator as op
from functools import reduce
rows = [{"name": "b", "n": 2, "tags": {"x": 1}}, {"name": "a", "n": 2}, {"name": "c", "n": 1}]
print([r["name"] for r in sorted(rows, key=op.itemgetter("n", "name"))], op.itemgetter(1, -1)("abc"), op.itemgetter(slice(1, 3))([1, 2, 3, 4]))
class P:
    def __init__(self, x, y): self.x, self.y = x, y
    def scaled(self, k, plus=0): return self.x * k + plus
points = [P(1, 5), P(2, 3)]
print(op.attrgetter("x", "y")(points[0]), max(points, key=op.attrgetter("y")).x, op.methodcaller("scaled", 10, plus=1)(points[1]))
print(reduce(op.mul, range(1, 6)), list(map(op.add, [1, 2], [3, 4])), op.truediv(1, 4), op.contains([1], 1), op.concat("a", "b"))
print(op.lt(1, 2), op.not_(0), op.index(True), op.countOf([1, 1, 2], 1), op.indexOf("abc", "c"), op.is_(None, None), op.xor(5, 1))
d = {"a": 1}
op.setitem(d, "b", 2)
op.delitem(d, "a")
print(d, op.iadd([1], [2]), op.length_hint(iter([1, 2])), op.call(max, 3, 4))
table = {"+": op.add, "-": op.sub, "*": op.mul, "/": op.truediv}
stack = []
for token in "3 4 + 2 * 7 /".split():
    stack.append(table[token](*reversed([stack.pop(), stack.pop()])) if token in table else float(token))
print(stack)
