# row: E12
# outcome: ok
# about: bases, classes, slots and dictionaries swapped under living objects
import abc, enum, types


class A:
    __slots__ = ("x",)


class B:
    __slots__ = ("y",)


class C:
    pass


class D(C):
    pass


acts = [lambda: setattr(A(), "__class__", B), lambda: setattr(C(), "__class__", A), lambda: setattr(C, "__bases__", (D,)), lambda: setattr(D, "__bases__", ()), lambda: setattr(D, "__bases__", (int,)), lambda: setattr(D, "__bases__", (A, B)), lambda: type("X", (A, B), {}),
        lambda: type("X", (bool,), {}), lambda: type("X", (types.FunctionType,), {}), lambda: type("X", (object,), {"__slots__": ("a", "a", "__dict__", "__weakref__", "1", "\ud800")}), lambda: type("X", (int,), {"__slots__": ("a",)}), lambda: type("X", (), {"__slots__": iter(lambda: "a", 1)}) if False else None,
        lambda: type("\0", (), {}), lambda: type("\ud800", (), {})(), lambda: type.__call__(type, 1, 2, 3, 4), lambda: object.__new__(int), lambda: int.__new__(str), lambda: object.__reduce_ex__(C(), 4), lambda: object.__reduce_ex__(C(), -(2**31)), lambda: setattr(C, "__name__", "\0"),
        lambda: setattr(C, "__qualname__", 5), lambda: setattr(C(), "__dict__", 5), lambda: delattr(C(), "__dict__"), lambda: setattr(int, "x", 1), lambda: type.__setattr__(int, "x", 1), lambda: delattr(C, "__module__"), lambda: C.__dict__["__dict__"].__get__(5), lambda: C.__dict__["__weakref__"].__get__(5),
        lambda: A.x.__get__(B(), A), lambda: A.x.__set__(5, 5), lambda: A.x.__delete__(A()), lambda: super(C, C()).__thisclass__, lambda: super(5, 5), lambda: super().x, lambda: property(5).__get__(5), lambda: property().fget(), lambda: C.__subclasshook__(5), lambda: C.mro.__call__(), lambda: type("M", (type,), {"mro": lambda c: [5]})("X", (), {}),
        lambda: type("M", (type,), {"mro": lambda c: []})("X", (), {}), lambda: type("M", (type,), {"mro": lambda c: [c] * 99})("X", (), {})(), lambda: type("M", (type,), {"mro": lambda c: [int, c]})("X", (), {})(), lambda: type("X", (), {"__init_subclass__": 5}), lambda: type("Y", (type("X", (), {"__init_subclass__": classmethod(lambda c: 1 / 0)}),), {}),
        lambda: types.new_class("X", (C,), exec_body=lambda n: n.update({5: 6})), lambda: abc.ABCMeta("X", (), {}).register(5), lambda: enum.Enum("E", {"a": [], "mro": 1}), lambda: types.SimpleNamespace(**{"": 1}).__repr__(), lambda: types.ModuleType("x").__dict__.clear(), lambda: types.ModuleType.__new__(types.ModuleType).__dict__, lambda: repr(types.ModuleType.__new__(types.ModuleType)),
        lambda: types.MappingProxyType(5), lambda: types.GenericAlias(5, 5)[5], lambda: types.UnionType[5], lambda: (int | None)[5], lambda: type.__subclasses__(5), lambda: type.__prepare__(5)["x"], lambda: type.__dict__["__doc__"].__set__(int, 5), lambda: type("X", (BaseException,), {"args": 5})().__str__(), lambda: BaseException.__setstate__(ValueError(), {5: 5}),
        lambda: ValueError().with_traceback(5), lambda: setattr(ValueError(), "__cause__", 5), lambda: setattr(ValueError(), "args", 5), lambda: BaseExceptionGroup("x", []), lambda: BaseExceptionGroup("x", [5]), lambda: UnicodeDecodeError("x", b"", 2**62, -5, "y").__str__(), lambda: UnicodeEncodeError("x", "y", -(2**62), 2**62, "\ud800").__str__(),
        lambda: str(type("X", (UnicodeTranslateError,), {})("x", 5, 1, "y")), lambda: OSError(2**40, "x", "y", 5, "z").__str__(), lambda: SyntaxError("x", ("f", 2**62, -(2**62), "t", -5, 2**62)).__str__(), lambda: ImportError("x", name=5, bogus=6), lambda: StopIteration.__new__(StopIteration).value, lambda: KeyError.__str__(KeyError())]
for act in acts:
    try:
        act()
    except Exception:
        pass
result = "alive"
