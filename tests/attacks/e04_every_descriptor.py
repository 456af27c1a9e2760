# row: E04
# outcome: ok
# result: []
# about: of the descriptors 0 to 1023 only stdout and stderr exist, and none can be read, searched or changed into a folder
import io, os

leaks = []
for descriptor in range(1024):
    for name, act in (
        ("read", lambda: os.read(descriptor, 1) or 1 / 0),
        ("seek", lambda: os.lseek(descriptor, 0, 1)),
        ("list", lambda: os.listdir(descriptor)),
        ("chdir", lambda: os.fchdir(descriptor)),
        ("cut", lambda: os.ftruncate(descriptor, 0)),
        ("open", lambda: io.FileIO(descriptor, "r", closefd=False).read(1) or 1 / 0),
        ("below", lambda: os.open("etc/passwd", os.O_RDONLY, dir_fd=descriptor)),
        ("write", lambda: descriptor > 2 and os.write(descriptor, b"x") or 1 / 0),
    ):
        try:
            act()
            leaks.append(f"{descriptor} {name}")
        except Exception:
            pass
result = leaks
