import asyncio
import time
async def fetch(name, delay, log):
    log.append(f"start {name}")
    await asyncio.sleep(delay)
    log.append(f"end {name}")
    return name.upper()
async def main():
    log = []
    start = time.monotonic()
    results = await asyncio.gather(fetch("a", 0.03, log), fetch("b", 0.01, log), fetch("c", 0.02, log))
    elapsed = time.monotonic() - start
    print(results, log, elapsed < 0.06 or elapsed)
    async def fail(n):
        await asyncio.sleep(0)
        raise ValueError(n)
    print(await asyncio.gather(fail(1), fetch("d", 0, log), return_exceptions=True))
    try:
        await asyncio.gather(fail(2), fetch("e", 0.01, log))
    except ValueError as error:
        print("raised", error)
    return "done"
print(asyncio.run(main()))
