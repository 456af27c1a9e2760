# cpython: "['curses', 'readline', 'mmap', 'resource', 'pwd', 'grp', 'termios', 'tty', 'pty', 'syslog', 'cProfile', 'tracemalloc', '_multiprocessing']\n"
# intentbox: "[]\n"
import importlib
found = []
for name in ("curses", "readline", "mmap", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "cProfile", "tracemalloc", "_multiprocessing"):
    try:
        importlib.import_module(name)
        found.append(name)
    except ImportError:
        pass
print(found)
