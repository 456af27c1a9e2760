import json
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
class Kind(Enum):
    A = "a"
def default(value):
    if isinstance(value, (date, datetime)):
        return {"$date": value.isoformat()}
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, set):
        return sorted(value)
    raise TypeError(f"cannot say {type(value).__name__}")
text = json.dumps({"d": date(2024, 1, 2), "m": Decimal("1.10"), "k": Kind.A, "s": {3, 1}}, default=default)
print(text)
def hook(pairs):
    return date.fromisoformat(pairs["$date"]) if "$date" in pairs else pairs
print(json.loads(text, object_hook=hook))
print(json.loads("[1.10, 2]", parse_float=Decimal), json.loads('{"a": 1, "a": 2}', object_pairs_hook=list), json.loads("[3]", parse_int=float))
class Encoder(json.JSONEncoder):
    def default(self, o):
        return f"<{type(o).__name__}>"
print(json.dumps([object(), 1], cls=Encoder), Encoder(indent=1).encode([1]))
lines = "\n".join(json.dumps({"i": i, "even": i % 2 == 0}) for i in range(3))
print([json.loads(line)["i"] for line in lines.splitlines()], json.JSONDecoder().raw_decode('{"a": 1} trailing'))
import io
out = io.StringIO()
json.dump([1, "x"], out)
out.seek(0)
print(json.load(out), repr(out.getvalue()))
