from typing import (Any, Callable, Generic, Literal, NamedTuple, Optional, Protocol, TypedDict, TypeVar, Union, cast,
                    get_args, get_origin, get_type_hints, overload, runtime_checkable)
T = TypeVar("T")
class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []
    def push(self, item: T) -> "Stack[T]":
        self.items.append(item)
        return self
print(Stack[int]().push(1).items, get_origin(dict[str, int]), get_args(dict[str, int]))
class Row(NamedTuple):
    id: int
    name: str = "none"
row = Row(1)
print(row, row._replace(name="x"), row._asdict(), Row._fields, row == (1, "none"))
class Movie(TypedDict, total=False):
    title: str
    year: int
print(Movie(title="Alien"), sorted(Movie.__annotations__), Movie.__total__)
@runtime_checkable
class Closer(Protocol):
    def close(self) -> None: ...
class File:
    def close(self): ...
print(isinstance(File(), Closer), isinstance(3, Closer))
def f(a: int, b: Optional[str] = None) -> Union[int, str]: ...
hints = get_type_hints(f)
print(hints["a"], sorted(hints), cast(int, "not checked"), get_args(Literal["a", 1]))
print(isinstance(3, int | str), get_args(int | None) == (int, type(None)), list[int] == list[int])
handler: Callable[[int], Any] = lambda n: n + 1
print(handler(1))
