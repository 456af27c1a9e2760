# row: E09
# outcome: ok
# result: []
# about: executors and pools are refused or run in place; no worker process is made
import os

leaks = []
for name in ("ThreadPoolExecutor", "ProcessPoolExecutor", "InterpreterPoolExecutor"):
    try:
        import concurrent.futures

        with getattr(concurrent.futures, name)(2) as pool:
            pool.submit(int)
    except BaseException:
        pass
try:
    import multiprocessing

    for act in (lambda: multiprocessing.Process(target=int).start(), lambda: multiprocessing.Pool(2), lambda: multiprocessing.Queue(), lambda: multiprocessing.Manager(), lambda: multiprocessing.shared_memory.SharedMemory("x", True, 10)):
        try:
            act()
            leaks.append("multiprocessing")
        except BaseException:
            pass
except ImportError:
    pass
result = leaks
