# row: E09
# outcome: python_error
# flags: --fuel 1000000000
# about: a thread that never ends is not started, or runs under the limits of the run
import threading

done = []


def spin():
    while True:
        pass


thread = threading.Thread(target=spin, daemon=True)
thread.start()
result = "started"
