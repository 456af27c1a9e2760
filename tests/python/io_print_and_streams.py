import io
import sys
print("a", 1, None, sep="-", end="!\n")
print(*range(3), sep=",")
print()
sys.stdout.write("written\n")
buffer = io.StringIO()
print("x", "y", file=buffer, flush=True)
print(repr(buffer.getvalue()))
old, sys.stdout = sys.stdout, io.StringIO()
print("hidden")
captured, sys.stdout = sys.stdout.getvalue(), old
print("captured", repr(captured))
print("to stderr", file=sys.stderr)
sys.stdout.flush()
sys.stdout.buffer.write(b"bytes\n")
sys.stdout.flush()
print(sys.stdout.encoding.lower(), sys.stdout.writable(), "é😀")
import pprint
pprint.pprint({"b": list(range(12)), "a": {"nested": "x" * 30, "other": "y" * 40}, "c": (1, "two")}, width=60)
print(pprint.pformat([[1, 2], {"k": "v"}], indent=2, width=10, compact=True), pprint.saferepr({"z": 1, "a": 2}))
pprint.pp({"z": 1, "a": 2}, sort_dicts=True)
