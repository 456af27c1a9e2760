# row: G07
# outcome: python_error
# about: a deadlock with oneself is refused, crashes the run, or meets the deadline
import threading

lock = threading.Lock()
lock.acquire()
lock.acquire()
result = "acquired twice"
raise RuntimeError(result)
