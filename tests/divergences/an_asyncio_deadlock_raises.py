# cpython: "TimeoutError hangs\n"
# intentbox: "RuntimeError asyncio deadlock: no task is ready, no timer is set, and nothing else can wake Task-1 (main)\n"
import asyncio
import sys
async def main():
    if sys.platform != "wasi":
        raise TimeoutError("hangs")
    await asyncio.Event().wait()
try:
    asyncio.run(main())
except (RuntimeError, TimeoutError) as error:
    print(type(error).__name__, error)
