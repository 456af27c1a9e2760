# outcome: ok
# result: null
def called(function):
    return function()


@called
async def answer():
    return 42


@called
def answer():
    return 42
