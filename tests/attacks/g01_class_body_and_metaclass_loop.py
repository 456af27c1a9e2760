# row: G01
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: a loop inside the making of a class must meet the fuel limit
class Meta(type):
    @classmethod
    def __prepare__(cls, name, bases):
        class Space(dict):
            def __getitem__(self, key):
                while True:
                    pass

        return Space()


class Thing(metaclass=Meta):
    x = nowhere
