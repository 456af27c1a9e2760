# row: G02
# outcome: python_error
# about: a cause property that invents a new exception each time must not make the report endless
class Endless(Exception):
    @property
    def __cause__(self):
        return Endless()

    __context__ = __cause__

    def __getattribute__(self, name):
        return Endless() if name in ("__cause__", "__context__") else super().__getattribute__(name)


raise Endless("first")
