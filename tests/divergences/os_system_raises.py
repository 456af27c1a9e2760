# cpython: "True\n"
# intentbox: "OSError processes are not available in the sandbox: do the work in Python itself\n"
import os
try:
    print(os.system("exit 3") != 0)
except OSError as error:
    print(type(error).__name__, error)
