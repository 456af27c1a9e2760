import asyncio
async def worker(name, queue, results):
    while True:
        item = await queue.get()
        await asyncio.sleep(0)
        results.append((item, item * item))
        queue.task_done()
async def main():
    queue, results = asyncio.Queue(maxsize=2), []
    workers = [asyncio.create_task(worker(n, queue, results), name=f"worker-{n}") for n in range(3)]
    for item in range(6):
        await queue.put(item)
    await queue.join()
    for task in workers:
        task.cancel()
    ended = await asyncio.gather(*workers, return_exceptions=True)
    print(sorted(results), [type(e).__name__ for e in ended], workers[0].get_name(), workers[0].cancelled())
    heap = asyncio.PriorityQueue()
    for n in (3, 1, 2):
        heap.put_nowait(n)
    print([heap.get_nowait() for _ in range(3)], heap.empty())
    small = asyncio.Queue(1)
    small.put_nowait(1)
    try:
        small.put_nowait(2)
    except asyncio.QueueFull:
        print("full", small.qsize())
asyncio.run(main())
