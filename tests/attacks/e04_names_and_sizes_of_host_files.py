# row: E04
# outcome: ok
# result: []
# about: neither existence nor size nor listing of a host path is told
import glob, os, pathlib

needle = "".join(["canary", "-7f3a"])
leaks = []
for path in ("/etc/passwd", f"/tmp/intentbox-{needle}.txt", "/proc/self", "/proc", "/etc", "/bin", "/root", "/home", "/sys", "/dev", "/usr/bin", "/proc/self/fd", "/var"):
    for act in (lambda: os.stat(path), lambda: os.lstat(path), lambda: os.listdir(path), lambda: os.readlink(path), lambda: os.statvfs(path), lambda: list(os.scandir(path)), lambda: os.path.getsize(path)):
        try:
            leaks.append(f"{path} {act()!r}"[:60])
        except (OSError, AttributeError, NotImplementedError):
            pass
    for probe in (os.path.exists, os.path.isdir, os.path.islink, os.path.ismount, lambda p: os.access(p, os.F_OK), lambda p: pathlib.Path(p).is_file()):
        try:
            if probe(path):
                leaks.append(f"{path} {getattr(probe, '__name__', '')}")
        except (OSError, NotImplementedError):
            pass
for pattern in ("/etc/*", "/proc/*/environ", "/tmp/*7f3a*", "/**/passwd", "/root/.*"):
    leaks.extend(glob.glob(pattern)[:3])
result = leaks
