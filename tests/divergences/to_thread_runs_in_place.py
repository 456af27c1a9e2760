# cpython: "['tick', 'blocking']\n"
# intentbox: "['blocking', 'tick']\n"
import asyncio
import time
log = []
def blocking():
    time.sleep(0.05)
    log.append("blocking")
async def ticking():
    await asyncio.sleep(0.01)
    log.append("tick")
async def main():
    await asyncio.gather(asyncio.to_thread(blocking), ticking())
asyncio.run(main())
print(log)
