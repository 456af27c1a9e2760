from enum import IntEnum, IntFlag, Enum, auto
import struct
class Kind(IntEnum):
    PING = 1
    DATA = 2
    CLOSE = 9
    @classmethod
    def _missing_(cls, value):
        return cls.CLOSE if value == 255 else None
class Flags(IntFlag):
    ACK = 1
    FIN = 2
    URGENT = 8
def pack(kind, flags, payload=b""):
    return struct.pack(">BBH", kind, flags, len(payload)) + payload
def unpack(data):
    while data:
        kind, flags, size = struct.unpack_from(">BBH", data)
        yield Kind(kind), Flags(flags), data[4:4 + size]
        data = data[4 + size:]
stream = pack(Kind.PING, 0) + pack(Kind.DATA, Flags.ACK | Flags.URGENT, b"hi") + pack(255, Flags.FIN)
for kind, flags, payload in unpack(stream):
    print(kind.name, int(flags), payload, Flags.URGENT in flags)
try:
    list(unpack(bytes([7, 0, 0, 0])))
except ValueError as error:
    print(error)
print(Flags.ACK | Flags.FIN == 3, (Flags.ACK | Flags.FIN) & ~Flags.ACK == Flags.FIN, Flags(11) == Flags.ACK | Flags.FIN | Flags.URGENT, [f.name for f in Flags])
class Planet(Enum):
    EARTH = (5.976e24, 6.37814e6)
    MARS = (6.421e23, 3.3972e6)
    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius
    @property
    def gravity(self):
        return 6.67300e-11 * self.mass / self.radius ** 2
print({p.name: round(p.gravity, 2) for p in Planet}, Planet((5.976e24, 6.37814e6)).name)
class Name(Enum):
    def _generate_next_value_(name, start, count, last):
        return name.lower()
    ALPHA = auto()
    BETA = auto()
print([n.value for n in Name], Name("beta"), Kind.PING + 1 == Kind.DATA, sorted(Kind, reverse=True)[0].name)
