# row: G06
# outcome: ok
# flags: --fuel 2000000000
# about: a raw stream that calls back into the buffer above it raises, or crashes the run only
import io


class Raw(io.RawIOBase):
    def readable(self):
        return True

    def writable(self):
        return True

    def seekable(self):
        return True

    def readinto(self, target):
        try:
            top.read(10)
        except (RuntimeError, ValueError):
            pass
        target[:] = b"x" * len(target)
        return len(target) + 5

    def write(self, data):
        try:
            top.write(b"y" * 100)
            top.flush()
        except (RuntimeError, ValueError):
            pass
        return len(data) + 10

    def seek(self, *_):
        return -5

    def tell(self):
        return -(2**63)


for make in (io.BufferedReader, io.BufferedWriter, io.BufferedRandom):
    for act in (lambda: top.read(100), lambda: top.write(b"z" * 20_000), lambda: top.seek(3), lambda: top.tell(),
                lambda: top.peek(5), lambda: top.readinto(bytearray(10)), lambda: top.flush(), lambda: top.detach()):
        try:
            top = make(Raw())
            act()
        except (OSError, ValueError, RuntimeError, AttributeError, TypeError, OverflowError):
            pass
result = "alive"
