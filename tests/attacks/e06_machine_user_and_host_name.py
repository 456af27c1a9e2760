# row: E06
# outcome: ok
# result: []
# about: user, host, processors and process numbers are neutral
import os, platform

# What every sandbox on every machine says.
neutral = ("sandbox", ("WASI", "sandbox", "0", "0", "wasm32"), "0", "1", "[]", "{0}", "", ("", ""))
leaks = []
for name in ("getlogin", "getuid", "geteuid", "getgid", "getgroups", "getppid", "uname", "getloadavg", "getpgid", "getsid", "ctermid", "ttyname", "get_terminal_size", "sched_getaffinity", "getpriority", "times", "umask"):
    try:
        value = getattr(os, name)(*{"getpgid": (0,), "getsid": (0,), "ttyname": (1,), "sched_getaffinity": (0,), "getpriority": (0, 0), "umask": (0,)}.get(name, ()))
        if name not in ("times", "umask") and value not in neutral and str(value) not in neutral:
            leaks.append(f"{name} {value!r}"[:80])
    except (AttributeError, OSError, NotImplementedError, TypeError):
        pass
if (os.cpu_count() or 1) > 1:
    leaks.append(f"cpu_count {os.cpu_count()}")
for name in ("node", "release", "version", "libc_ver", "freedesktop_os_release", "processor"):
    try:
        value = getattr(platform, name)()
        if value not in neutral:
            leaks.append(f"{name} {value!r}"[:80])
    except (OSError, AttributeError):
        pass
try:
    import getpass

    if getpass.getuser() not in ("sandbox", "user", "nobody"):
        leaks.append(getpass.getuser())
except Exception:
    pass
try:
    import socket

    if socket.gethostname() not in ("", "localhost", "sandbox"):
        leaks.append(socket.gethostname())
except Exception:
    pass
try:
    import uuid

    if not uuid.getnode() >> 40 & 1:
        leaks.append("hardware address")
except Exception:
    pass
result = leaks
