# row: E12
# outcome: ok
# about: generators thrown at, closed, re-entered and dropped in every state
import gc, sys, types, weakref


def generator():
    try:
        while True:
            try:
                yield me.__next__() if me else 1
            except ValueError:
                yield 2
    finally:
        yield 3


async def coroutine():
    await types.coroutine(lambda: (yield))()


async def asynchronous():
    try:
        yield 1
        await coroutine()
    finally:
        yield 2


me = None
for make in (generator, coroutine, asynchronous):
    for _ in range(3):
        me = None
        value = make()
        me = value if make is generator else None
        for act in (lambda: value.send(5), lambda: value.throw(5), lambda: value.throw(ValueError, 5, 5), lambda: value.throw(GeneratorExit), lambda: value.throw(StopIteration), lambda: next(value), lambda: value.close(), lambda: value.gi_frame.clear(), lambda: value.cr_frame.clear(),
                    lambda: value.__anext__().send(None), lambda: value.asend(1).throw(ValueError), lambda: value.athrow(ValueError).send(5), lambda: value.aclose().send(None), lambda: value.__del__(), lambda: setattr(value, "__name__", "\ud800"), lambda: value.gi_yieldfrom, lambda: sys.set_asyncgen_hooks(lambda g: 1 / 0, lambda g: g.aclose().send(None))):
            try:
                act()
            except BaseException:
                pass
        value = None
        gc.collect()
result = "alive"
