# outcome: ok
# result: {"first":1,"both":[2,3],"squares":[0,1,4],"inside":"entered","name":"__main__","shared":1}

# As in a notebook: models write it so. The names that it binds are those of the script.
import asyncio


class Entered:
    async def __aenter__(self):
        return "entered"

    async def __aexit__(self, *raised):
        return False


async def value(number):
    await asyncio.sleep(0)
    return number


async def count(most):
    for number in range(most):
        yield number


def shared():
    return first


first = await value(1)
squares = []
async for number in count(3):
    squares.append(number * number)
async with Entered() as inside:
    both = await asyncio.gather(value(2), value(3))
{"first": first, "both": both, "squares": squares, "inside": inside, "name": __name__, "shared": shared()}
