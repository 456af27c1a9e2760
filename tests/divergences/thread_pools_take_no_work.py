# cpython: "[1, 2]\n"
# intentbox: "RuntimeError threads are not available in the sandbox: call the function itself, or use asyncio for tasks that wait\n"
from concurrent.futures import ThreadPoolExecutor
try:
    with ThreadPoolExecutor(2) as pool:
        print(list(pool.map(len, ["a", "bb"])))
except RuntimeError as error:
    print(type(error).__name__, error)
