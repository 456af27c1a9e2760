# cpython: "TimeoutError\n"
# intentbox: "result\n"
import asyncio
import time
def slow():
    time.sleep(0.05)
    return "result"
async def main():
    try:
        print(await asyncio.wait_for(asyncio.to_thread(slow), 0.01))
    except TimeoutError:
        print("TimeoutError")
asyncio.run(main())
