def describe(value):
    match value:
        case None:
            return "nothing"
        case bool():
            return f"flag {value}"
        case int(n) | float(n) if n < 0:
            return f"negative {n}"
        case int() | float():
            return "number"
        case "quit" | "exit":
            return "stop"
        case str(text) if text.isdigit():
            return f"digits {text}"
        case []:
            return "empty"
        case [x]:
            return f"one {x}"
        case [first, *_, last]:
            return f"from {first} to {last}"
        case {"type": "user", "name": str(name), **rest}:
            return f"user {name} {rest}"
        case {}:
            return "mapping"
        case _:
            return type(value).__name__
for v in (None, True, -3, 2.5, "quit", "42", [], [1], (1, 2, 3), {"type": "user", "name": "ada", "id": 1}, {"a": 1}, "x", {1}):
    print(describe(v))
class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
def where(p):
    match p:
        case Point(0, 0):
            return "origin"
        case Point(x, 0) | Point(0, x):
            return f"axis {x}"
        case Point(x=x, y=y) if x == y:
            return "diagonal"
        case Point():
            return "somewhere"
print([where(Point(*xy)) for xy in ((0, 0), (3, 0), (0, 4), (2, 2), (1, 5))])
