from collections import defaultdict
from enum import Enum, auto
class Events:
    def __init__(self):
        self._handlers = defaultdict(list)
    def on(self, name):
        def keep(handler):
            self._handlers[name].append(handler)
            return handler
        return keep
    def emit(self, name, *args):
        return [handler(*args) for handler in self._handlers[name]]
events = Events()
@events.on("saved")
def log(item):
    return f"log {item}"
@events.on("saved")
def mail(item):
    return f"mail {item}"
print(events.emit("saved", 3), events.emit("other"))
class State(Enum):
    DRAFT = auto()
    REVIEW = auto()
    DONE = auto()
class Document:
    MOVES = {(State.DRAFT, "submit"): State.REVIEW, (State.REVIEW, "reject"): State.DRAFT, (State.REVIEW, "accept"): State.DONE}
    def __init__(self):
        self.state, self.trail = State.DRAFT, []
    def __getattr__(self, name):
        if name.startswith("can_"):
            return (self.state, name[4:]) in self.MOVES
        raise AttributeError(name)
    def fire(self, action):
        try:
            after = self.MOVES[self.state, action]
        except KeyError:
            raise RuntimeError(f"cannot {action} in {self.state.name}") from None
        self.trail.append(f"{self.state.name}->{after.name}")
        self.state = after
        return self
doc = Document()
print(doc.can_submit, doc.can_accept, doc.fire("submit").fire("reject").fire("submit").fire("accept").trail)
try:
    doc.fire("submit")
except RuntimeError as error:
    print(error)
class Stack(list):
    push = list.append
    @property
    def top(self):
        return self[-1] if self else None
s = Stack()
s.push(1)
print(s.top, s, isinstance(s, list), Stack([1]) + [2])
