# cpython: "['chown', 'getuid', 'mkfifo', 'getppid']\n"
# intentbox: "[]\n"
import os
print([name for name in ("chown", "getuid", "mkfifo", "getppid") if hasattr(os, name)])
