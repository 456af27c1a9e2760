from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, MutableSequence, Sequence, Hashable, Sized
class Store(ABC):
    @abstractmethod
    def get(self, key): ...
    @property
    @abstractmethod
    def size(self): ...
    def has(self, key):
        return self.get(key) is not None
class Memory(Store):
    def __init__(self): self.d = {"a": 1}
    def get(self, key): return self.d.get(key)
    @property
    def size(self): return len(self.d)
print(Memory().has("a"), Memory().has("b"), Memory().size, sorted(Store.__abstractmethods__))
try:
    Store()
except TypeError as error:
    print("TypeError", "abstract" in str(error))
class Half(Store):
    def get(self, key): return 1
try:
    Half()
except TypeError:
    print("still abstract")
class Squares(Sequence):
    def __init__(self, n): self.n = n
    def __len__(self): return self.n
    def __getitem__(self, i):
        if not 0 <= i < self.n:
            raise IndexError(i)
        return i * i
s = Squares(5)
print(list(s), 16 in s, s.index(9), list(reversed(s)), s.count(4))
print([isinstance(x, Iterable) for x in ([], 3, "a")], isinstance({}, Mapping), isinstance([], Hashable), isinstance((), Sized))
@Store.register
class Virtual: ...
print(issubclass(Virtual, Store))
