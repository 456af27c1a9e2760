# row: E06
# outcome: ok
# result: []
# about: the current folder is the root or nothing, homes expand to nothing of the host
import os, pathlib

needle = "".join(["canary", "-7f3a"])
leaks = []
for act in (os.getcwd, lambda: os.getcwdb().decode(), lambda: os.path.abspath("x"), lambda: os.path.realpath("x"), lambda: str(pathlib.Path.cwd()), lambda: os.path.expanduser("~"), lambda: os.path.expanduser("~root"),
            lambda: str(pathlib.Path.home()), lambda: os.path.expandvars("$HOME$PATH$INTENTBOX_CANARY"), lambda: os.path.abspath(__file__), lambda: os.path.abspath(__spec__.origin)):
    try:
        text = act()
        for word in ("/root", "/home", "/work", "/tmp", needle, "/bin", "attacks"):
            if word in text and text not in ("~root",):
                leaks.append(text[:60])
    except (OSError, RuntimeError, NameError, AttributeError):
        pass
result = sorted(set(leaks))
