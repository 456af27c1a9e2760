# row: E05
# outcome: ok
# result: []
# about: symbolic and hard links, to the host or to itself, are refused by every function that makes them
import os, pathlib

with open("/file", "w") as file:
    file.write("mine")
leaks = []
for name, act in (
    ("symlink out", lambda: os.symlink("/etc/passwd", "/l1")),
    ("symlink up", lambda: os.symlink("../../etc/passwd", "/l2")),
    ("symlink in", lambda: os.symlink("/file", "/l3")),
    ("symlink loop", lambda: os.symlink("/l4", "/l4")),
    ("symlink folder", lambda: os.symlink("/", "/l5", target_is_directory=True)),
    ("link", lambda: os.link("/file", "/l6")),
    ("link out", lambda: os.link("/etc/passwd", "/l7")),
    ("path symlink", lambda: pathlib.Path("/l8").symlink_to("/etc")),
    ("path hardlink", lambda: pathlib.Path("/l9").hardlink_to("/file")),
    ("fifo", lambda: os.mkfifo("/l10")),
    ("device", lambda: os.mknod("/l11")),
):
    try:
        act()
        leaks.append(name)
    except (OSError, AttributeError, NotImplementedError):
        pass
if sorted(name for name in os.listdir("/") if name.startswith("l") and name[1:].isdigit()):
    leaks.append("names left")
result = leaks
