# cpython: "4\n"
# intentbox: "ImportError ctypes is not available in the sandbox: there is no native code to call; struct packs and unpacks bytes\n"
try:
    import ctypes
    print(ctypes.sizeof(ctypes.c_int))
except ImportError as error:
    print(type(error).__name__, error)
