# row: E09
# outcome: ok
# about: asynchronous work that is left running when the script ends does not go on, and does not hold the end up
import asyncio


async def background():
    while True:
        await asyncio.sleep(3600)


async def main():
    asyncio.ensure_future(background())


try:
    asyncio.run(main())
except (RuntimeError, OSError, NotImplementedError):
    pass
result = 1
