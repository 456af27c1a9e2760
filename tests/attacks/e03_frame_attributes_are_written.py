# row: E03
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: jumping around by f_lineno, clearing running frames and rewriting f_locals crash the run at worst
import sys


def target():
    a = 1
    for b in range(3):
        try:
            a += b
        finally:
            a += 1
    return a


for line in (-(2**31), -1, 0, 1, 12, 14, 16, 18, 10**6, 2**40):

    def trace(frame, event, argument):
        try:
            frame.f_lineno = line
        except (ValueError, OverflowError):
            pass
        try:
            frame.f_locals["a"] = frame
            frame.f_trace = None
            frame.f_trace_opcodes = True
            frame.clear()
        except (RuntimeError, TypeError, ValueError):
            pass
        return trace

    sys.settrace(trace)
    try:
        target()
    except Exception:
        pass
    sys.settrace(None)
result = "alive"
