# row: E12
# outcome: ok
# about: every combination of an old format specification for text and bytes
import itertools

for flags, width, precision, length, kind in itertools.product(("", "#", "0", "-", " ", "+", "#0- +"), ("", "*", "5", "9999999999"), ("", ".", ".*", ".0", ".9999999999"), ("", "l", "hh"), "diouxXeEfFgGcrsab%y\ud800\0"):
    spec = "%" + flags + width + precision + length + kind
    for value in (5, -1.5, "x", b"x", (1, 2, 3), {"a": 1}, None, 2**100, float("nan")):
        try:
            spec % value
        except (ValueError, TypeError, OverflowError, MemoryError):
            pass
        try:
            spec.encode("utf-8", "surrogatepass") % value
        except (ValueError, TypeError, OverflowError, MemoryError):
            pass
result = "alive"
