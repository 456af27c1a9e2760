# row: E09
# outcome: python_error
# about: three thousand threads make no thread on the host
import threading

count = 0
for _ in range(3_000):
    try:
        threading.Thread(target=int).start()
        count += 1
    except RuntimeError:
        break
threading.Timer(0.0, int).start()
result = "ended"
