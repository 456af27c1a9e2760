from enum import Enum, Flag, IntEnum, StrEnum, auto, unique
class Level(Enum):
    LOW = 1
    MID = 2
    HIGH = 3
    TOP = 3
    @property
    def label(self):
        return self.name.title()
    @classmethod
    def parse(cls, text):
        return cls[text.upper()]
print(list(Level), Level.TOP is Level.HIGH, Level(2), Level["LOW"].value, Level.parse("mid").label)
print(Level.LOW == 1, Level.LOW in Level, {Level.LOW: "x"}[Level.LOW], Level.__members__.keys())
try:
    Level(9)
except ValueError as error:
    print(error)
class Code(IntEnum):
    OK = 200
    GONE = 410
print(Code.OK == 200, Code.GONE > 300, sorted([Code.GONE, Code.OK])[0], f"{Code.OK:d}", int(Code.OK) + 1)
class Color(StrEnum):
    RED = auto()
    BLUE = auto()
print(Color.RED, Color.BLUE.upper(), Color("red") is Color.RED, f"{Color.RED}", [c.value for c in Color])
class Perm(Flag):
    READ = auto()
    WRITE = auto()
    EXEC = auto()
rw = Perm.READ | Perm.WRITE
print(Perm.READ in rw, Perm.EXEC in rw, rw.value, (rw & Perm.WRITE).name, bool(rw & Perm.EXEC), rw ^ Perm.READ)
try:
    @unique
    class Twice(Enum):
        A = 1
        B = 1
except ValueError as error:
    print(error)
print(Enum("Day", "MON TUE")(2).name, Level.LOW, repr(Level.LOW))
