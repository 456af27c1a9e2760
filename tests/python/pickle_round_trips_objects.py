import pickle
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from enum import Enum
class Color(Enum):
    RED = 1
@dataclass
class Item:
    name: str
    price: Decimal
Pair = namedtuple("Pair", "a b")
class Counter:
    def __init__(self): self.n, self.cache = 1, "drop"
    def __getstate__(self): return {"n": self.n}
    def __setstate__(self, state): self.n, self.cache = state["n"] + 1, None
values = [None, True, 2 ** 80, 1.5, "é😀", b"x", (1, [2, {3}]), {"a": frozenset([1])}, Color.RED, Item("x", Decimal("1.5")),
          Pair(1, 2), OrderedDict(b=1), datetime(2024, 1, 2, tzinfo=timezone.utc), range(3), complex(1, 2), slice(1, 2), len, Item]
for protocol in (0, 2, 4, 5):
    print(protocol, pickle.loads(pickle.dumps(values, protocol)) == values)
again = pickle.loads(pickle.dumps(Counter()))
print(again.n, again.cache)
shared = [1]
a, b = pickle.loads(pickle.dumps([shared, shared]))
print(a is b)
try:
    pickle.dumps(lambda: 1)
except (pickle.PicklingError, AttributeError) as error:
    print("cannot pickle")
try:
    pickle.loads(b"\x80\x04broken")
except Exception as error:
    print("cannot load")
