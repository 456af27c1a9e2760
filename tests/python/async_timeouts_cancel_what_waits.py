import asyncio
async def slow(log):
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        log.append("cancelled")
        raise
    finally:
        log.append("cleaned")
async def main():
    log = []
    try:
        await asyncio.wait_for(slow(log), timeout=0.01)
    except TimeoutError:
        print("wait_for", log)
    try:
        async with asyncio.timeout(0.01):
            await slow(log)
    except TimeoutError:
        print("timeout", log)
    async with asyncio.timeout(10) as scope:
        await asyncio.sleep(0)
    print(scope.expired(), await asyncio.wait_for(asyncio.sleep(0, "value"), 5))
    task = asyncio.create_task(slow([]))
    await asyncio.sleep(0)
    task.cancel("stop it")
    try:
        await task
    except asyncio.CancelledError as error:
        print("task", error.args, task.done())
    inner = asyncio.create_task(asyncio.sleep(0.02, "kept"))
    try:
        await asyncio.wait_for(asyncio.shield(inner), 0.001)
    except TimeoutError:
        print("shielded", await inner)
asyncio.run(main())
