import asyncio
async def add(a, b):
    await asyncio.sleep(0)
    return a + b
loop = asyncio.new_event_loop()
print(loop.run_until_complete(add(1, 2)), loop.is_running(), loop.is_closed())
order = []
loop.call_later(0.02, order.append, "later")
loop.call_soon(order.append, "soon")
loop.call_later(0.01, order.append, "between")
loop.call_later(0.03, loop.stop)
loop.run_forever()
print(order)
handle = loop.call_later(1, print, "never")
handle.cancel()
print(handle.cancelled())
loop.close()
print(loop.is_closed())
with asyncio.Runner() as runner:
    print(runner.run(add(3, 4)), runner.run(add(5, 6)))
async def nested():
    try:
        asyncio.run(add(1, 1))
    except RuntimeError as error:
        print("RuntimeError")
import warnings
warnings.simplefilter("ignore")
asyncio.run(nested())
print(asyncio.iscoroutinefunction(add), asyncio.iscoroutine(3))
try:
    asyncio.get_running_loop()
except RuntimeError as error:
    print(error)
