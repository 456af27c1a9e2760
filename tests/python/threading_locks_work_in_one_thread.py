import queue
import threading
lock, rlock = threading.Lock(), threading.RLock()
with lock:
    print(lock.locked(), lock.acquire(blocking=False))
with rlock, rlock:
    print("reentered")
print(lock.acquire(timeout=0.01), lock.acquire(timeout=0.01), lock.release())
event = threading.Event()
print(event.wait(0.01), event.set(), event.wait(), event.is_set())
local = threading.local()
local.x = 1
print(local.x, hasattr(local, "y"), threading.current_thread().name, threading.current_thread() is threading.main_thread(), threading.active_count())
condition = threading.Condition()
with condition:
    condition.notify_all()
    print(condition.wait(0.01))
semaphore = threading.Semaphore(2)
print(semaphore.acquire(), semaphore.acquire(), semaphore.acquire(blocking=False))
q = queue.Queue(maxsize=1)
q.put("a")
try:
    q.put_nowait("b")
except queue.Full:
    print("full", q.get(), q.empty())
try:
    q.get(timeout=0.01)
except queue.Empty:
    print("empty")
p = queue.PriorityQueue()
for item in ((2, "b"), (1, "a")):
    p.put(item)
print(p.get(), queue.LifoQueue().qsize(), queue.SimpleQueue().empty())
try:
    lock.release()
except RuntimeError as error:
    print("RuntimeError")
