class Config:
    def __init__(self, **values):
        object.__setattr__(self, "_values", values)
    def __getattr__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no setting {name!r}") from None
    def __setattr__(self, name, value):
        if name not in self._values:
            raise AttributeError(f"cannot add {name!r}")
        self._values[name] = value
    def __dir__(self):
        return sorted(self._values)
config = Config(host="h", port=1)
config.port = 2
print(config.host, config.port, getattr(config, "x", "default"), dir(config))
for action in ("config.missing", "config.new = 1"):
    try:
        exec(action)
    except AttributeError as error:
        print(error)
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)
    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(obj, self.name, value)
class Order:
    amount = Positive()
    price = Positive()
    def __init__(self, amount, price):
        self.amount, self.price = amount, price
print(Order(2, 3).amount, isinstance(Order.amount, Positive))
try:
    Order(0, 1)
except ValueError as error:
    print(error)
