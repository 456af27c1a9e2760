# row: G07
# outcome: python_error
# about: a blocking get on an empty queue is refused or meets the deadline
import queue

for make in (queue.SimpleQueue, queue.Queue):
    make().get()
