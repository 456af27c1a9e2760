from __future__ import annotations
import typing
from dataclasses import dataclass, fields
from typing import ClassVar, Final, Generic, Iterator, Mapping, Optional, ParamSpec, Self, TypeVar, get_type_hints
K, V, P = TypeVar("K"), TypeVar("V"), ParamSpec("P")
LIMIT: Final = 3
class Cache(Generic[K, V]):
    size: ClassVar[int] = LIMIT
    def __init__(self) -> None:
        self._data: dict[K, V] = {}
    def put(self, key: K, value: V) -> Self:
        self._data[key] = value
        while len(self._data) > self.size:
            del self._data[next(iter(self._data))]
        return self
    def __iter__(self) -> Iterator[tuple[K, V]]:
        return iter(self._data.items())
cache = Cache[str, int]()
for n, name in enumerate("abcde"):
    cache.put(name, n)
print(list(cache), Cache.__parameters__ == (K, V), Cache[str, int].__origin__ is Cache)
@dataclass
class Settings:
    host: str
    port: int = 80
    tags: Optional[list[str]] = None
    extra: Mapping[str, float] | None = None
hints = get_type_hints(Settings)
print({name: typing.get_origin(t) is not None for name, t in hints.items()}, hints["port"])
def coerce(cls, raw):
    hints = get_type_hints(cls)
    return cls(**{f.name: hints[f.name](raw[f.name]) if hints[f.name] in (int, str, float) else raw[f.name] for f in fields(cls) if f.name in raw})
print(coerce(Settings, {"host": "h", "port": "8080", "tags": ["x"]}))
print(typing.get_args(Optional[int]), typing.Union[int, int], typing.Any is not None, typing.TYPE_CHECKING)
alias = dict[str, list[int]]
print(alias, typing.get_args(alias)[1].__args__, isinstance({}, typing.get_origin(alias)))
