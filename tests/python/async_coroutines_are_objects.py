import inspect
import types
async def answer():
    return 42
coroutine = answer()
print(type(coroutine).__name__, inspect.iscoroutine(coroutine), inspect.iscoroutinefunction(answer))
try:
    coroutine.send(None)
except StopIteration as stop:
    print(stop.value)
class Ready:
    def __init__(self, value):
        self.value = value
    def __await__(self):
        sent = yield "suspended"
        return self.value, sent
async def outer():
    first = await Ready(1)
    return first, await answer()
run = outer()
print(run.send(None))
try:
    run.send("resumed")
except StopIteration as stop:
    print(stop.value)
async def closes():
    try:
        await Ready(0)
    finally:
        print("closing")
c = closes()
c.send(None)
c.close()
async def agen():
    yield 1
print(inspect.isasyncgen(agen()), inspect.isasyncgenfunction(agen))
try:
    c.send(None)
except RuntimeError as error:
    print(error)
