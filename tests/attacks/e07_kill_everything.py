# row: E07
# outcome: ok
# result: []
# about: signals to process 0, 1, -1, the parent and itself are absent or refused
import os, signal

leaks = []
for name in ("kill", "killpg"):
    for target in (0, 1, -1, 42):
        for number in (0, 9, 15, 6):
            try:
                getattr(os, name)(target, number)
                leaks.append(f"{name} {target} {number}")
            except (AttributeError, OSError, NotImplementedError):
                pass
result = leaks
