# cpython: "ring\n"
# intentbox: "RuntimeError threads are not available in the sandbox: call the function itself, or use asyncio for tasks that wait\n"
import threading
try:
    timer = threading.Timer(0.01, print, ("ring",))
    timer.start()
    timer.join()
except RuntimeError as error:
    print(type(error).__name__, error)
