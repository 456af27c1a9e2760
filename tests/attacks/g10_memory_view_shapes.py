# row: G10
# outcome: ok
# result: []
# about: shapes whose product overflows, is negative or zero must not give a view on memory that is not there
import itertools

leaks = []
base = memoryview(bytearray(b"A" * 64))
sizes = (0, 1, -1, 2, 8, 64, 65, 2**31, 2**32, 2**33, 2**62, 2**63, 2**64)
for shape in itertools.chain(itertools.product(sizes), itertools.product(sizes, sizes), itertools.product((2**32, 2**31, 2), (2**32, 2**31, 2), (2**32, 2, 1))):
    try:
        view = base.cast("B", shape)
        if view.nbytes != 64:
            leaks.append(str(shape))
        if view.tobytes() != b"A" * 64:
            leaks.append("content " + str(shape))
    except (TypeError, ValueError, OverflowError, BufferError, NotImplementedError):
        pass
result = leaks
