# row: E16
# outcome: ok
# result: []
# about: what a script could try against the precompiled guest: caches, byte code folders and the program file are not there
import importlib.util, os, sys

leaks = []
for path in (sys.executable or "/intentbox", "/proc/self/exe", "/root/.cache/wasmtime", "/tmp/guest.cwasm", "__pycache__", importlib.util.cache_from_source("/x.py") if sys.implementation.cache_tag else "/x.pyc"):
    try:
        with open(path, "r+b"):
            leaks.append(path)
    except OSError:
        pass
if not sys.dont_write_bytecode:
    leaks.append("bytecode is written")
result = leaks
