# cpython: "True True True\n"
# intentbox: "False True True\n"
import time
print(hasattr(time, "clock_gettime"), hasattr(time, "thread_time"), time.perf_counter() > 0)
