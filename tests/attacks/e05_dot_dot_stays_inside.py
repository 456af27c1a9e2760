# row: E05
# outcome: ok
# result: []
# about: .. at and above the root stays at the root: the script's own file is found there, and nothing of the host
import os

with open("/inside", "w") as file:
    file.write("mine")
leaks = []
for path in ("/../inside", "/../../../../inside", "/./.././inside", "/d/../inside", "//inside", "///..//inside"):
    try:
        os.makedirs("/d", exist_ok=True)
        with open(path) as file:
            if file.read() != "mine":
                leaks.append(path)
    except OSError:
        pass
root = set(os.listdir("/"))
for path in ("/..", "/../..", "/d/../..", "/d/../../../..", "/../../../../../../../.."):
    try:
        if not set(os.listdir(path)) <= root:
            leaks.append(path)
    except OSError:
        pass
for path in ("/../etc/passwd", "/../../../../../../etc/passwd", "/d/../../../etc/passwd", "/usr/share/zoneinfo/../../../etc/passwd", "..//..//etc//passwd", "/usr/share/zoneinfo/../../../../etc/hostname"):
    try:
        with open(path) as file:
            leaks.append(path)
    except OSError:
        pass
result = leaks
