class Registry(type):
    known = []
    def __new__(mcls, name, bases, namespace, **options):
        cls = super().__new__(mcls, name, bases, namespace)
        if bases:
            mcls.known.append((name, sorted(k for k in namespace if not k.startswith("_")), options))
        return cls
    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace)
    def __len__(cls):
        return len(cls.known)
class Model(metaclass=Registry):
    pass
class User(Model, table="users"):
    name = "x"
    def save(self): pass
print(Registry.known, len(User), type(User).__name__)
class Singleton:
    _one = None
    def __new__(cls, *args):
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one
print(Singleton(1) is Singleton(2))
class Celsius(float):
    def __new__(cls, value):
        return super().__new__(cls, round(value, 1))
    def __repr__(self):
        return f"{float(self)}°C"
print(Celsius(21.46), [Celsius(3)], Celsius(1.23) + 1, type("Made", (Celsius,), {"unit": "C"})(2).unit)
