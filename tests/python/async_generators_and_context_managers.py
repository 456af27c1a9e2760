import asyncio
import contextlib
async def ticks(n):
    try:
        for i in range(n):
            await asyncio.sleep(0)
            yield i
    finally:
        print("generator closed")
class Session:
    async def __aenter__(self):
        print("open")
        return self
    async def __aexit__(self, kind, error, trace):
        print("close", kind.__name__ if kind else None)
        return kind is KeyError
    def __aiter__(self):
        self.left = 2
        return self
    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        self.left -= 1
        return self.left
@contextlib.asynccontextmanager
async def step(name):
    print("begin", name)
    yield name
    print("end", name)
async def main():
    print([i * 2 async for i in ticks(3) if i], {i: i async for i in ticks(1)})
    async with Session() as session:
        print([n async for n in session])
        raise KeyError("swallowed")
    async with contextlib.AsyncExitStack() as stack:
        print([await stack.enter_async_context(step(n)) for n in "ab"])
    generator = ticks(5)
    print(await anext(generator), await anext(generator))
    await generator.aclose()
    async for i in ticks(2):
        print("tick", i)
    else:
        print("else")
asyncio.run(main())
