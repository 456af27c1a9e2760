# cpython: "True\n"
# intentbox: "OSError processes are not available in the sandbox: do the work in Python itself\n"
import multiprocessing
try:
    print(len(multiprocessing.Queue().__class__.__name__) > 0)
except OSError as error:
    print(type(error).__name__, error)
