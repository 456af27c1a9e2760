class Point:
    __slots__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
p = Point(1, 2)
p.x = 10
print(p.x, p.y, hasattr(p, "__dict__"), Point.__slots__)
try:
    p.z = 3
except AttributeError as error:
    print("AttributeError")
class Point3(Point):
    __slots__ = ("z",)
q = Point3(1, 2)
try:
    q.z
except AttributeError as error:
    print("unset")
q.z = 5
print(q.x + q.z)
class Loose(Point):
    pass
l = Loose(0, 0)
l.extra = "fine"
print(l.__dict__, l.x)
