# row: E09
# outcome: python_error
# about: signal.pause() and sigwait() are absent or meet the deadline
import signal

for name, arguments in (("pause", ()), ("sigwait", ({2},)), ("sigtimedwait", ({2}, 10**6))):
    try:
        getattr(signal, name)(*arguments)
    except AttributeError:
        pass
