# cpython: "linux Linux False False\nFalse False False CPython\n"
# intentbox: "wasi WASI True True\nTrue True True RustPython\n"
import getpass
import os
import platform
import socket
import sys
print(sys.platform, platform.system(), platform.machine() == "wasm32", os.cpu_count() == 1)
print(socket.gethostname() == "sandbox", getpass.getuser() == "sandbox", sys.executable == "", platform.python_implementation())
