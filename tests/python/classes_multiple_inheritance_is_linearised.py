class Base:
    def run(self):
        return ["base"]
class Loud(Base):
    def run(self):
        return ["loud"] + super().run()
class Timed(Base):
    def run(self):
        return ["timed"] + super().run()
class Job(Loud, Timed):
    def run(self):
        return ["job"] + super().run()
print(Job().run(), [c.__name__ for c in Job.mro()])
try:
    class Impossible(Base, Loud):
        pass
except TypeError as error:
    print("TypeError")
class Plugin:
    registry = {}
    def __init_subclass__(cls, /, key=None, **kwargs):
        super().__init_subclass__(**kwargs)
        Plugin.registry[key or cls.__name__.lower()] = cls
class Csv(Plugin): pass
class Json(Plugin, key="js"): pass
print({k: v.__name__ for k, v in sorted(Plugin.registry.items())})
