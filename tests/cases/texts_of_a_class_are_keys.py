# outcome: ok
# result: {"a":1,"b":2}
import enum


class Level(str, enum.Enum):
    A = "a"


result = {Level.A: 1, "b": 2}
