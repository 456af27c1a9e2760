# row: E03
# outcome: ok
# result: []
# about: the lists of all frames and exceptions name this one thread and this one script
import sys

leaks = []
for name in ("_current_frames", "_current_exceptions"):
    try:
        for thread, value in getattr(sys, name)().items():
            frame = getattr(value, "f_back", None)
            while frame:
                if frame.f_globals is not globals():
                    leaks.append(f"{name} {frame.f_code.co_filename}")
                frame = frame.f_back
    except (AttributeError, NotImplementedError):
        pass
result = leaks
