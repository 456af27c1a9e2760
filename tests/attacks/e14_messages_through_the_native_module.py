# row: E14
# outcome: ok
# about: what a script can reach of the imports: texts and bodies of every size around the bounds, each answered, none fatal for the host
import _intentbox

found = set()
for size in (0, 1, 127, 128, 16_383, 16_384, 65_535, 65_536, (1 << 20) - 1, 1 << 20, (1 << 20) + 1):
    for arguments in (("GET", "x" * size, [], None, None), ("G" * size, "sentry:/", [], None, None), ("POST", "sentry:/", [], b"b" * size, 0), ("GET", "sentry:/", ["n" * size, "v"], None, 2**32 - 1), ("GET", "é" * (size // 2), ["", ""] * 256, b"", 1)):
        try:
            found.add(_intentbox.http(*arguments)[0])
        except (ValueError, OverflowError):
            found.add("guest")
result = sorted(found)
