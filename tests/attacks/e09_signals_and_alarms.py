# row: E09
# outcome: ok
# result: []
# about: alarms, timers and handlers are absent or never run
import signal, time

leaks = []


def handler(*_):
    leaks.append("handler ran")


for act in (lambda: signal.signal(signal.SIGALRM, handler), lambda: signal.signal(14, handler), lambda: signal.alarm(1), lambda: signal.setitimer(0, 0.001, 0.001), lambda: signal.set_wakeup_fd(1),
            lambda: signal.signal(2, handler), lambda: signal.pthread_kill(0, 14), lambda: signal.siginterrupt(14, True), lambda: signal.sigwait([14]) if False else None):
    try:
        act()
    except (AttributeError, ValueError, OSError, RuntimeError):
        pass
time.sleep(0.02)
for _ in range(10_000):
    pass
result = leaks
