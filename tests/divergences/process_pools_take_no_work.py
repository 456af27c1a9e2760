# cpython: "True\n"
# intentbox: "OSError processes are not available in the sandbox: do the work in Python itself\n"
import concurrent.futures
import os
try:
    print(concurrent.futures.ProcessPoolExecutor(1).submit(os.getpid).result() != os.getpid())
except OSError as error:
    print(type(error).__name__, error)
