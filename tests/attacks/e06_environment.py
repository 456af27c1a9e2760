# row: E06
# outcome: ok
# result: []
# about: no variable of the host is there, by os.environ, os.getenv, posix.environ or a copy kept from the build
import os, sys

needle = "".join(["canary", "-7f3a"])
leaks = []
seen = dict(os.environ)
try:
    import posix

    seen.update({os.fsdecode(key): os.fsdecode(value) for key, value in posix.environ.items()})
except (ImportError, AttributeError):
    pass
for name in ("INTENTBOX_CANARY", "HOME", "PATH", "USER", "SENTRY_TOKEN", "PWD", "HOSTNAME", "CARGO", "CARGO_MANIFEST_DIR", "RUSTUP_HOME", "OUT_DIR"):
    if os.getenv(name) is not None or name in seen:
        leaks.append(name)
if needle in str(seen):
    leaks.append("canary")
os.environ["HOME"] = "/x"
os.environ["LD_PRELOAD"] = "/x.so"
os.putenv("A", "b")
result = leaks + [name for name in seen if name not in ("PWD",)]
