import types
def f(): yield
print(type(f).__name__, type(f()).__name__, type(lambda: 0) is types.FunctionType, isinstance(len, types.BuiltinFunctionType))
ns = types.SimpleNamespace(a=1, b="x")
ns.c = [1]
print(ns, ns == types.SimpleNamespace(a=1, b="x", c=[1]), vars(ns))
proxy = types.MappingProxyType({"k": 1})
try:
    proxy["k"] = 2
except TypeError as error:
    print("TypeError", proxy["k"])
Made = types.new_class("Made", (dict,), {}, lambda body: body.update(size=lambda self: len(self)))
print(Made(a=1).size(), Made.__name__, Made.__mro__[1])
module = types.ModuleType("virtual", "Doc.")
exec("x = 1\ndef get(): return x", module.__dict__)
print(module.get(), module.__name__, module.__doc__)
class A:
    def m(self): return "m"
a = A()
a.extra = types.MethodType(lambda self, n: (type(self).__name__, n), a)
print(a.extra(2), type(a.m).__name__, a.m.__self__ is a, A.m.__qualname__, types.resolve_bases((A,)))
print(isinstance(int | str, types.UnionType), type(None) is types.NoneType, types.GenericAlias(list, (int,)) == list[int])
code = f.__code__
print(code.co_name, code.co_argcount, f.__module__, (lambda a, *b, c=1, **d: 0).__code__.co_varnames)
import reprlib, keyword
print(reprlib.repr(list(range(100))), keyword.iskeyword("match"), keyword.iskeyword("with"), keyword.issoftkeyword("match"))
