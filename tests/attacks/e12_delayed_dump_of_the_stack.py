# row: E12
# outcome: guest_trap python_error ok
# about: a function that wants a watchdog thread where there are none
import faulthandler

faulthandler.dump_traceback_later(0.001, exit=True)
sum(range(100_000))
