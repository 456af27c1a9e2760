# cpython: "['pipe', 'dup2', 'sendfile']\n"
# intentbox: "[]\n"
import os
print([name for name in ("pipe", "dup2", "sendfile") if hasattr(os, name)])
