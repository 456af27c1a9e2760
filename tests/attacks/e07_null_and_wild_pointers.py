# row: E07
# outcome: ok
# about: objects made from addresses: id() is not a handle, and no module turns a number into an object
import gc, sys

leaks = []
for name in ("_ctypes", "ctypes", "_xxtestfuzz"):
    try:
        __import__(name)
        leaks.append(name)
    except ImportError:
        pass
address = id("x")
if address >> 32:
    leaks.append(f"an address of the host: {address:#x}")
result = leaks
