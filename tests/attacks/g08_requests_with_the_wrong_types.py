# row: G08
# outcome: ok
# result: []
# about: what is not text, bytes or a number never reaches the host as such
import _intentbox

leaks = []
for arguments in (
    (1, 2, 3, 4, 5),
    ("GET", "x", None, None, None),
    ("GET", "x", ["odd"], "text", None),
    ("GET", "x", [], None, -1),
    ("GET", "x", [], None, 2**32),
    ("GET", "x", [], None, 1.5),
    ("GET", "\ud800", [], None, None),
    ("\udfff", "x", [], None, None),
    ("GET", "x", ["a", "\ud800"], None, None),
    ("GET", "x", ["a", "b"] * 257, None, None),
    ("GET", "x", [], bytearray(5), None),
    (),
    ("GET",) * 9,
):
    try:
        _intentbox.http(*arguments)
        leaks.append(repr(arguments)[:40])
    except (TypeError, ValueError, OverflowError):
        pass
result = leaks
