# row: E07
# outcome: ok
# about: raising a signal in the guest reaches the guest at most
import signal

for number in (2, 6, 9, 11, 15):
    try:
        signal.raise_signal(number)
    except (AttributeError, OSError, ValueError, KeyboardInterrupt):
        pass
result = "alive"
