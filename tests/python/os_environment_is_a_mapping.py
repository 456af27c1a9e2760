import os
os.environ["APP_MODE"] = "test"
print(os.getenv("APP_MODE"), os.environ.get("NO_SUCH", "default"), "APP_MODE" in os.environ, os.path.expandvars("run-$APP_MODE-${APP_MODE}-$NOPE"))
os.environ.setdefault("APP_MODE", "other")
del os.environ["APP_MODE"]
print(os.getenv("APP_MODE"), os.environ.pop("APP_MODE", "gone"))
try:
    os.environ["NO_SUCH"]
except KeyError as error:
    print("KeyError", error)
try:
    os.environ["X"] = 1
except TypeError as error:
    print("TypeError")
print(isinstance(os.getpid(), int), len(os.urandom(8)), isinstance(os.cpu_count(), int), os.strerror(2) != "", callable(os.getcwd))
import getpass, platform, sys
print(bool(getpass.getuser()), bool(platform.system()), bool(platform.node()), bool(platform.platform()), len(platform.uname()) == 6, sys.version_info >= (3, 11), isinstance(sys.argv, list) and len(sys.argv))
print(isinstance(sys.executable, str), sys.byteorder, sys.maxunicode, sys.float_info.max > 1e308)
