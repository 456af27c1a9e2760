# row: E04
# outcome: ok
# result: []
# about: the zone files are the only thing beside the script's own files; they cannot be written, removed, renamed or hidden
import os

leaks = []
zone = "/usr/share/zoneinfo/UTC"
for name, act in (
    ("write", lambda: open(zone, "w")),
    ("append", lambda: open(zone, "ab")),
    ("update", lambda: open(zone, "r+b")),
    ("exclusive", lambda: open("/usr/share/zoneinfo/New", "x")),
    ("cut", lambda: os.truncate(zone, 0)),
    ("remove", lambda: os.remove(zone)),
    ("rename", lambda: os.rename(zone, "/x")),
    ("replace", lambda: (open("/mine", "w").close(), os.replace("/mine", zone))),
    ("mkdir", lambda: os.mkdir("/usr/share/zoneinfo/d")),
    ("rmdir", lambda: os.rmdir("/usr/share/zoneinfo")),
    ("hide", lambda: os.rename("/usr/share/zoneinfo", "/z")),
    ("hide parent", lambda: os.rename("/usr/share", "/z")),
    ("hide top", lambda: os.rename("/usr", "/z")),
    ("times", lambda: os.utime(zone, (0, 0))),
    ("link", lambda: os.link(zone, "/l")),
    ("truncate by flag", lambda: os.close(os.open(zone, os.O_RDONLY | os.O_TRUNC))),
    ("write by descriptor", lambda: os.write(os.open(zone, os.O_RDONLY), b"x")),
    ("cut by descriptor", lambda: os.ftruncate(os.open(zone, os.O_RDONLY), 0)),
):
    try:
        act()
        leaks.append(name)
    except (OSError, AttributeError, NotImplementedError):
        pass
with open(zone, "rb") as file:
    if file.read(4) != b"TZif":
        leaks.append("content")
result = leaks
