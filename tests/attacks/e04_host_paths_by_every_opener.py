# row: E04
# outcome: ok
# result: []
# about: no opener reads a file of the host: passwords, the process, the canary, the program itself
import codecs, io, os, pathlib, shutil, tokenize, linecache, fileinput, zipfile

needle = "".join(["canary", "-7f3a"])
paths = ["/etc/passwd", "/etc/hostname", "/etc/resolv.conf", f"/tmp/intentbox-{needle}.txt", "/proc/self/environ", "/proc/self/maps", "/proc/self/mem", "/proc/1/cmdline", "/proc/self/exe",
         "/proc/self/fd/0", "/proc/self/cwd", "/proc/self/root/etc/passwd", "/dev/stdin", "/dev/fd/0", "/dev/tty", "/dev/mem", "/sys/kernel/version", "/root/.ssh/id_rsa", "/root/.bashrc",
         "/run/secrets", "/var/run/docker.sock", "Cargo.toml", "README.md", "../README.md", "~/.bashrc", "~root/.bashrc", "\\\\?\\C:\\", "C:/Windows/win.ini", "/home", "/work", "/bin/sh", "/lib64"]
leaks = []
openers = [lambda p: open(p, "rb").read(10), lambda p: io.open(p).read(10), lambda p: io.FileIO(p).read(10), lambda p: os.read(os.open(p, os.O_RDONLY), 10), lambda p: pathlib.Path(p).read_bytes()[:10],
           lambda p: codecs.open(p, "r", "latin-1").read(10), lambda p: tokenize.open(p).read(10), lambda p: linecache.getline(p, 1) or 1 / 0, lambda p: next(fileinput.input([p])),
           lambda p: io.open_code(p).read(10), lambda p: shutil.copyfile(p, "/copy"), lambda p: zipfile.ZipFile(p), lambda p: pathlib.Path(p).expanduser().read_bytes()[:10]]
for path in paths:
    for number, opener in enumerate(openers):
        try:
            leaks.append(f"{path} {number} {opener(path)!r}"[:60])
        except Exception:
            pass
result = leaks
