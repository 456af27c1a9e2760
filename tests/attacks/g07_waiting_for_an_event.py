# row: G07
# outcome: python_error
# about: waiting for an event that nobody sets comes back at once, is refused or meets the deadline
import threading

threading.Event().wait()
