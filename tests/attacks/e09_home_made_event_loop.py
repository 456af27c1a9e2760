# row: E09
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: coroutines driven by hand are metered like any code
class Again:
    def __await__(self):
        while True:
            yield


async def forever():
    await Again()


coroutine = forever()
while True:
    coroutine.send(None)
