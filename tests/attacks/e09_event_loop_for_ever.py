# row: E09
# outcome: deadline_exceeded
# flags: --timeout-ms 500
# about: an event loop that never ends is refused or meets a limit
import asyncio


async def forever():
    while True:
        await asyncio.sleep(0)


asyncio.run(forever())
