# cpython: "in the thread\n"
# intentbox: "RuntimeError threads are not available in the sandbox: call the function itself, or use asyncio for tasks that wait\n"
import threading
try:
    thread = threading.Thread(target=print, args=("in the thread",))
    thread.start()
    thread.join()
except RuntimeError as error:
    print(type(error).__name__, error)
