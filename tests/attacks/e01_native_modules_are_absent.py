# row: E01
# outcome: ok
# result: []
# about: modules that reach processes, memory, devices or the terminal are not there, by name or by any loader
import importlib, importlib.machinery, sys

leaks = []
for name in ("ctypes", "_ctypes", "_ctypes_test", "mmap", "_posixsubprocess", "_posixshmem", "_multiprocessing", "pwd", "grp", "spwd", "crypt", "fcntl_",
             "resource", "syslog", "termios", "tty", "pty", "readline", "_curses", "curses", "tkinter", "_tkinter", "sqlite3", "_sqlite3", "dbm.gnu",
             "js", "pyodide", "pyodide_js", "_pyodide", "rustpython", "wasi", "wasmer", "browser", "nt", "msvcrt", "winreg", "_winapi", "_scproxy", "ssl_",
             "_ssl_rustls", "os2", "java", "clr", "cffi", "_cffi_backend", "numpy", "pandas", "_xxsubinterpreters", "_testcapi"):
    try:
        importlib.import_module(name)
        leaks.append(name)
    except ImportError:
        pass
result = leaks
