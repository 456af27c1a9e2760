# row: E02
# outcome: python_error
# flags: --fuel 20000000000
# about: each callable of each native module is called with odd arguments; the run may crash, the host may not
import random, sys, types

random.seed(3)
values = [None, 0, -1, 2**31, 2**63, 1.5, float("nan"), "", "x", "\ud800", b"", b"x" * 9, [], {}, (), object(), type, len, [1] * 5, bytearray(5), memoryview(b"abc"), ..., slice(9), range(5)]
skip = {"_exit", "abort", "exit", "_sigsegv", "sleep", "input", "breakpoint", "_run_exitfuncs", "help", "print", "pause", "_sigabrt", "_sigfpe", "_read_null", "_stack_overflow", "_clear", "settrace", "setprofile"}
for module in sorted(sys.builtin_module_names):
    try:
        names = sorted(vars(__import__(module)).items())
    except Exception:
        continue
    for name, value in names:
        if name in skip or not callable(value):
            continue
        for count in (0, 1, 2, 3):
            try:
                value(*random.choices(values, k=count))
            except (Exception, SystemExit):
                pass
result = "alive"
