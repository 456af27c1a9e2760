# row: E04
# outcome: ok
# about: closing, duplicating and renumbering the standard descriptors hurts this run's output at most
import os

for act in (lambda: os.close(0), lambda: os.dup2(1, 0), lambda: os.dup2(2, 1), lambda: os.dup2(1, 300), lambda: os.dup2(1, 2**31 - 1), lambda: os.closerange(3, 2**20), lambda: os.close(2), lambda: os.close(1),
            lambda: os.close(-1), lambda: os.close(2**31), lambda: os.pipe(), lambda: os.set_inheritable(1, True), lambda: os.set_blocking(1, False), lambda: os.fdopen(1).close(), lambda: os.fdatasync(1)):
    try:
        act()
    except Exception:
        pass
print("may be lost")
result = "alive"
