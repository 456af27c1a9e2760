# row: E01
# outcome: ok
# result: []
# about: every way to start a process is absent or refused
import os

leaks = []
try:
    import subprocess

    for act in (
        lambda: subprocess.run(["/bin/true"]),
        lambda: subprocess.check_output("id", shell=True),
        lambda: subprocess.Popen("/bin/sh"),
        lambda: subprocess.getoutput("id"),
    ):
        try:
            shown = act()
            if "not" not in str(shown):
                leaks.append(str(shown)[:40])
        except BaseException:
            pass
except ImportError:
    pass
for name in ("system", "popen", "fork", "forkpty", "vfork", "execv", "execve", "execvp", "spawnv", "spawnl", "posix_spawn", "posix_spawnp", "startfile"):
    try:
        act = getattr(os, name)
        act("/bin/true", *({"execv": [["x"]], "execve": [["x"], {}], "execvp": [["x"]], "posix_spawn": [["x"], {}], "posix_spawnp": [["x"], {}]}.get(name, [])))
        leaks.append(name)
    except BaseException:
        pass
result = leaks
