# row: G06
# outcome: ok
# flags: --fuel 2000000000
# about: repr() of containers whose elements empty the container while they are written
from collections import OrderedDict, deque


class Evil:
    def __repr__(self):
        target.clear()
        return "x"


for make in (lambda: [Evil() for _ in range(30)], lambda: {i: Evil() for i in range(30)}, lambda: {Evil() for _ in range(30)},
             lambda: deque(Evil() for _ in range(30)), lambda: OrderedDict((i, Evil()) for i in range(30))):
    target = make()
    try:
        repr(target)
    except RuntimeError:
        pass
result = "alive"
