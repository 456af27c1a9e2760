import asyncio
async def main():
    lock, log = asyncio.Lock(), []
    async def critical(name):
        async with lock:
            log.append(f"{name} in")
            await asyncio.sleep(0)
            log.append(f"{name} out")
    await asyncio.gather(critical("a"), critical("b"))
    print(log, lock.locked())
    event, seen = asyncio.Event(), []
    async def waiter(n):
        await event.wait()
        seen.append(n)
    waiters = [asyncio.create_task(waiter(n)) for n in range(3)]
    await asyncio.sleep(0)
    print(seen, event.is_set())
    event.set()
    await asyncio.gather(*waiters)
    print(seen)
    semaphore, active, peak = asyncio.Semaphore(2), 0, 0
    async def limited():
        nonlocal active, peak
        async with semaphore:
            active += 1
            peak = max(peak, active)
            await asyncio.sleep(0.001)
            active -= 1
    await asyncio.gather(*(limited() for _ in range(6)))
    print("peak", peak)
    condition, items = asyncio.Condition(), []
    async def consumer():
        async with condition:
            await condition.wait_for(lambda: len(items) >= 2)
            return sum(items)
    task = asyncio.create_task(consumer())
    for n in (5, 6):
        await asyncio.sleep(0)
        async with condition:
            items.append(n)
            condition.notify_all()
    print(await task)
    future = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(future.set_result, 42)
    print(await future, future.done())
asyncio.run(main())
