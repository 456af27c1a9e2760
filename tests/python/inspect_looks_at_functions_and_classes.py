import inspect
from typing import Optional
def target(a, b: int = 2, *args, key: Optional[str] = None, **rest) -> bool:
    """Does it.

    More.
    """
signature = inspect.signature(target)
print(list(signature.parameters), signature.parameters["b"].default, signature.parameters["key"].kind.name, signature.return_annotation)
bound = signature.bind(1, key="k", extra=5)
bound.apply_defaults()
print(bound.arguments)
try:
    signature.bind()
except TypeError as error:
    print(error)
print(inspect.getdoc(target).splitlines()[0], inspect.isfunction(target), inspect.isbuiltin(len), inspect.isclass(int), inspect.isgeneratorfunction(target))
class Base:
    x = 1
    def method(self): ...
    @staticmethod
    def helper(n): ...
    @property
    def p(self): ...
class Child(Base):
    def own(self): ...
print([name for name, _ in inspect.getmembers(Child, inspect.isfunction)], inspect.getmro(Child)[1].__name__)
print(inspect.signature(Child.own), inspect.signature(Base().method), inspect.signature(Child), inspect.getattr_static(Base, "helper").__class__.__name__)
def who():
    return inspect.currentframe().f_code.co_name, inspect.stack()[0].function
print(who(), inspect.getmodule(target).__name__, inspect.unwrap(target) is target)
print(inspect.signature(lambda x, /, y, *, z=1: 0), inspect.cleandoc("  a\n    b\n  c"))
