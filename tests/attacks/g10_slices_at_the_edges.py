# row: G10
# outcome: ok
# result: []
# about: slices with extreme starts, stops and steps stay inside every kind of sequence
import array, itertools

leaks = []
edges = (None, 0, 1, -1, 5, -6, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**32, 2**62, -(2**62), 2**63 - 1, -(2**63), 2**63, -(2**64))
for sequence in (b"hello", bytearray(b"hello"), "hello", [1, 2, 3, 4, 5], (1, 2, 3, 4, 5), array.array("H", range(5)), memoryview(b"hello"), range(5)):
    for start, stop, step in itertools.product(edges, edges, (None, 1, -1, 2, 2**31, -(2**31), 2**63 - 1, -(2**63))):
        part = sequence[start:stop:step]
        if len(part) > 5:
            leaks.append(f"{type(sequence).__name__} {start} {stop} {step}")
result = leaks
