# cpython: "lock hangs\nevent hangs\nqueue hangs\n"
# intentbox: "lock deadlock: what is waited for can only come from another thread, and there is none\nevent deadlock: what is waited for can only come from another thread, and there is none\nqueue deadlock: what is waited for can only come from another thread, and there is none\n"
import queue
import threading
def waits_for_ever(name, action):
    if hasattr(threading, "_start_joinable_thread"):
        try:
            action()
        except RuntimeError as error:
            print(name, error)
    else:
        print(name, "hangs")
waits_for_ever("lock", lambda: [(lock := threading.Lock()).acquire(), lock.acquire()])
waits_for_ever("event", threading.Event().wait)
waits_for_ever("queue", queue.Queue().get)
