# cpython: "True True\n"
# intentbox: "AttributeError module 'os' has no attribute 'fork': processes are not available in the sandbox: do the work in Python itself\n"
import os
try:
    print(callable(os.fork), hasattr(os, "waitpid"))
except AttributeError as error:
    print(type(error).__name__, error)
