import functools
@functools.total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(int(p) for p in text.split("."))
    def __eq__(self, other):
        return self.parts == other.parts if isinstance(other, Version) else NotImplemented
    def __lt__(self, other):
        return self.parts < other.parts if isinstance(other, Version) else NotImplemented
    def __hash__(self):
        return hash(self.parts)
    def __repr__(self):
        return ".".join(map(str, self.parts))
versions = [Version(t) for t in ("1.10", "1.9", "2.0", "1.9")]
print(sorted(versions), max(versions), versions[1] == versions[3], len(set(versions)), versions[0] >= versions[1])
print(versions[0] == "1.10")
try:
    versions[0] < 3
except TypeError as error:
    print(error)
class Vector:
    def __init__(self, *v): self.v = v
    def __add__(self, o): return Vector(*(a + b for a, b in zip(self.v, o.v)))
    def __mul__(self, k): return Vector(*(a * k for a in self.v)) if isinstance(k, (int, float)) else NotImplemented
    __rmul__ = __mul__
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.v, o.v))
    def __neg__(self): return self * -1
    def __abs__(self): return (self @ self) ** 0.5
    def __bool__(self): return any(self.v)
    def __getitem__(self, i): return self.v[i]
    def __len__(self): return len(self.v)
    def __iadd__(self, o): self.v = (self + o).v; return self
    def __repr__(self): return f"V{self.v}"
a, b = Vector(3, 4), Vector(1, 2)
print(a + b, a * 2, 3 * a, a @ b, -a, abs(a), bool(Vector(0, 0)), list(a), a[1:], 4 in a)
a += b
print(a, len(a))
