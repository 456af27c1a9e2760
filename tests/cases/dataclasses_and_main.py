# outcome: ok
# result: ["__main__",{"a":1}]
from dataclasses import asdict, dataclass


@dataclass
class Row:
    a: int


[__name__, asdict(Row(1))]
