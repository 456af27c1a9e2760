import asyncio
async def work(n, log):
    try:
        await asyncio.sleep(n / 100)
        if n == 2:
            raise ValueError(f"job {n}")
        log.append(n)
        return n
    except asyncio.CancelledError:
        log.append(f"{n} cancelled")
        raise
async def main():
    log = []
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work(n, log)) for n in (1, 0)]
    print([t.result() for t in tasks], log)
    log.clear()
    try:
        async with asyncio.TaskGroup() as group:
            for n in (1, 2, 50):
                group.create_task(work(n, log))
    except* ValueError as errors:
        print([str(e) for e in errors.exceptions], log)
    done, pending = await asyncio.wait([asyncio.create_task(work(n, log)) for n in (0, 30)], return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending), done.pop().result())
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    order = [await f for f in asyncio.as_completed([asyncio.sleep(d / 100, d) for d in (3, 1, 2)])]
    print(order)
asyncio.run(main())
