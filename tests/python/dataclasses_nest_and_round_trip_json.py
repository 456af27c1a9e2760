import json
from dataclasses import dataclass, field, asdict, is_dataclass, fields
@dataclass
class Address:
    street: str
    city: str
@dataclass
class Person:
    name: str
    age: int
    addresses: list[Address] = field(default_factory=list)
    meta: dict = field(default_factory=dict)
    @classmethod
    def from_dict(cls, data):
        known = {f.name for f in fields(cls)}
        data = {k: v for k, v in data.items() if k in known}
        data["addresses"] = [Address(**a) for a in data.get("addresses", [])]
        return cls(**data)
person = Person("Ada", 36, [Address("St James", "London")], {"k": [1]})
text = json.dumps(asdict(person), sort_keys=True)
print(text)
back = Person.from_dict(json.loads(text) | {"unknown": 1})
print(back == person, back, is_dataclass(back), is_dataclass(Person))
match person:
    case Person(name=name, addresses=[Address(city=city)]):
        print(name, "lives in", city)
@dataclass
class Empty:
    pass
print(Empty(), Empty() == Empty())
