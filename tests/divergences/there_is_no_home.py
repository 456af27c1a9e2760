# cpython: "True True\n"
# intentbox: "RuntimeError Could not determine home directory.\n"
import os
import pathlib
try:
    print(os.path.expanduser("~") != "~", pathlib.Path.home().is_absolute())
except RuntimeError as error:
    print(type(error).__name__, error)
