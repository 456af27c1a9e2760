# row: E12
# outcome: ok
# about: odd arguments to numeric, format and time functions never print where the interpreter was built
import cmath, datetime, math, string, time

values = (0, -1, 2**31, 2**63 - 1, -(2**63), 2**64, 10**400, float("inf"), float("nan"), -0.0, 5e-324, 1.7e308)
for module in (math, cmath, time, datetime):
    for name in dir(module):
        act = getattr(module, name)
        if not callable(act) or name in ("sleep", "factorial", "comb", "perm"):
            continue
        for value in values:
            for arguments in ((value,), (value, value), (value, 1, value), (2026, 1, 1, value), (value,) * 7):
                try:
                    act(*arguments)
                except Exception:
                    pass
result = "alive"
