# row: G06
# outcome: ok
# about: __index__ that resizes the buffer which is being written to must be noticed
import array, struct

done = []


class Evil:
    def __init__(self, act):
        self.act = act

    def __index__(self):
        self.act()
        return 0

    __int__ = __index__


data = bytearray(1000)
for statement in (
    lambda: data.__setitem__(Evil(data.clear), 65),
    lambda: data.__setitem__(999, Evil(data.clear)),
    lambda: data.insert(Evil(data.clear), 5),
    lambda: data.__setitem__(slice(Evil(data.clear), 900, 3), b"x" * 300),
    lambda: struct.pack_into("B", data, 900, Evil(data.clear)),
    lambda: data.extend(Evil(data.clear) for _ in range(100)),
    lambda: data.join([memoryview(data), data]),
    lambda: data.pop(Evil(data.clear)),
    lambda: data.replace(b"\0", b"y", Evil(data.clear)),
    lambda: data.find(b"\0", Evil(data.clear)),
):
    data[:] = bytes(1000)
    try:
        statement()
    except (IndexError, ValueError, BufferError, RuntimeError, TypeError, struct.error):
        pass
    done.append(len(data))
numbers = array.array("i", range(100))
for statement in (
    lambda: numbers.__setitem__(99, Evil(lambda: numbers.__delitem__(slice(None)))),
    lambda: numbers.insert(Evil(lambda: numbers.__delitem__(slice(None))), 1),
    lambda: numbers.extend(Evil(lambda: numbers.__delitem__(slice(None))) for _ in range(5)),
    lambda: numbers.extend(numbers),
    lambda: numbers.__imul__(3),
    lambda: numbers.byteswap(),
):
    try:
        statement()
    except (IndexError, ValueError, BufferError, RuntimeError, TypeError):
        pass
result = len(done)
