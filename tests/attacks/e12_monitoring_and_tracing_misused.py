# row: E12
# outcome: python_error
# flags: --fuel 2000000000
# about: sys.monitoring with tools, events and callbacks out of range, and callbacks that change themselves
import sys

monitoring = getattr(sys, "monitoring", None)
if monitoring:
    for tool in (-1, 0, 5, 6, 2**31, "x"):
        for act in (lambda: monitoring.use_tool_id(tool, "t"), lambda: monitoring.set_events(tool, 2**31 - 1), lambda: monitoring.set_events(tool, 0xFFFF), lambda: monitoring.register_callback(tool, 1, lambda *_: sum.__code__), lambda: monitoring.register_callback(tool, 2**20, print),
                    lambda: monitoring.set_local_events(tool, (lambda: 0).__code__, 0xFF), lambda: monitoring.restart_events(), lambda: monitoring.free_tool_id(tool)):
            try:
                act()
            except Exception:
                pass


def trace(*_):
    sys.settrace(None)
    sys.setprofile(trace)
    return 5


sys.settrace(trace)
(lambda: sum(range(3)))()
sys.setprofile(None)
sys.settrace(None)
result = "alive"
