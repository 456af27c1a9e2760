# row: E12
# outcome: memory_limit
# about: struct formats, array codes and memory view formats that no program writes
import array, itertools, struct

data = bytearray(64)
for order, count, code in itertools.product("@=<>!", ("", "0", "1", "3", "999999999", "99999999999999999999"), "xcbB?hHiIlLqQnNefdsspP\ud800\0 é"):
    spec = order + count + code
    for act in (lambda: struct.calcsize(spec), lambda: struct.unpack_from(spec, data, 60), lambda: struct.unpack_from(spec, data, -1), lambda: struct.pack_into(spec, data, -64, 1), lambda: struct.pack_into(spec, data, 2**62, 1),
                lambda: next(struct.iter_unpack(spec, data)), lambda: struct.pack(spec, 2**64), lambda: struct.pack(spec, "x"), lambda: struct.pack(spec, float("nan"))):
        try:
            act()
        except (struct.error, ValueError, TypeError, OverflowError, MemoryError, StopIteration, UnicodeError, IndexError):
            pass
for code in "bBuwhHiIlLqQfd":
    numbers = array.array(code)
    for act in (lambda: numbers.frombytes(b"\xff" * 7), lambda: numbers.frombytes(b"\xff" * 64), lambda: numbers.tolist(), lambda: numbers.tounicode(), lambda: repr(numbers), lambda: numbers.fromlist([2**64]), lambda: numbers.insert(-(2**63), 1),
                lambda: numbers.pop(2**62), lambda: memoryview(numbers).cast("B").cast("d"), lambda: memoryview(numbers)[:: -1].tobytes(), lambda: numbers.__setitem__(slice(None, None, -2), numbers), lambda: numbers[::2**62], lambda: array._array_reconstructor(array.array, code, 21, b"\xff" * 9)):
        try:
            act()
        except Exception:
            pass
result = "alive"
