from dataclasses import asdict, astuple, dataclass, field, fields, replace
@dataclass(order=True)
class Item:
    price: float
    name: str = field(compare=False)
    tags: list[str] = field(default_factory=list, compare=False, repr=False)
    total: float = field(init=False, compare=False)
    def __post_init__(self):
        self.total = self.price * 1.2
a, b = Item(10, "a"), Item(5, "b", ["x"])
print(a, b < a, a == Item(10, "other"), sorted([a, b])[0].name)
print(asdict(b), astuple(a), [f.name for f in fields(Item)])
print(replace(a, price=20), a.tags is not Item(1, "z").tags)
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
p = Point(1)
print(p, hash(p) == hash(Point(1, 0)), {p: "origin-ish"}[Point(1)])
try:
    p.x = 5
except Exception as error:
    print(type(error).__name__, error)
@dataclass(kw_only=True)
class Job(Item):
    retries: int = 3
print(Job(price=1, name="j", retries=1))
try:
    Item()
except TypeError as error:
    print("TypeError")
try:
    @dataclass
    class Bad:
        items: list = []
except ValueError as error:
    print("ValueError")
