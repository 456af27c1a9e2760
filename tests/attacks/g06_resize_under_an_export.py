# row: G06
# outcome: ok
# result: []
# about: a bytearray or array with an exported buffer refuses to move its memory
import array

leaks = []
for make in (lambda: bytearray(b"x" * 64), lambda: array.array("B", b"x" * 64)):
    data = make()
    view = memoryview(data)
    for act in ("append", "extend", "pop", "clear", "__delitem__", "__imul__", "insert"):
        if not hasattr(data, act):
            continue
        argument = {"append": (1,), "extend": (b"12",), "__delitem__": (slice(0, 9),), "__imul__": (9,), "insert": (0, 1)}.get(act, ())
        try:
            getattr(data, act)(*argument)
            leaks.append(f"{type(data).__name__}.{act}")
        except BufferError:
            pass
    if len(view) != 64 or bytes(view) != b"x" * 64:
        leaks.append("view changed")
result = leaks
