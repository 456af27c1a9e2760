class Shape:
    count = 0
    def __init__(self, name):
        self.name = name
        Shape.count += 1
    def area(self):
        raise NotImplementedError(f"{type(self).__name__}.area")
    def __str__(self):
        return f"{self.name}: {self.area():.2f}"
class Square(Shape):
    def __init__(self, side):
        super().__init__("square")
        self.side = side
    def area(self):
        return self.side ** 2
class Cube(Square):
    def area(self):
        return 6 * super().area()
class Blob(Shape):
    pass
print(Square(2), Cube(2), Shape.count, [c.__name__ for c in Cube.__mro__])
try:
    print(Blob("blob"))
except NotImplementedError as error:
    print("NotImplementedError", error)
print(isinstance(Cube(1), Shape), issubclass(Cube, Square), Cube.__bases__[0].__name__, Shape.__subclasses__()[0].__name__)
