# row: G06
# outcome: ok
# flags: --fuel 2000000000
# about: native iterators that are re-entered from their own callbacks raise, or crash the run only
import functools, io, itertools

caught = []


def reenter(make):
    holder = []
    depth = [0]

    def again(*arguments):
        depth[0] += 1
        if depth[0] < 50:
            try:
                next(holder[0])
            except (StopIteration, ValueError, RuntimeError) as error:
                caught.append(type(error).__name__)
        return 1

    holder.append(make(again))
    try:
        for _ in range(10):
            next(holder[0])
    except (StopIteration, ValueError, RuntimeError) as error:
        caught.append(type(error).__name__)


reenter(lambda again: map(again, itertools.count()))
reenter(lambda again: filter(again, itertools.count()))
reenter(lambda again: itertools.accumulate(itertools.count(), again))
reenter(lambda again: itertools.takewhile(again, itertools.count()))
reenter(lambda again: itertools.starmap(again, itertools.repeat((1,))))
reenter(lambda again: itertools.tee(map(again, itertools.count()))[0])
reenter(lambda again: itertools.islice(iter(again, None), 100))
reenter(lambda again: itertools.chain.from_iterable(map(lambda x: again() and [x], itertools.count())))
reenter(lambda again: itertools.groupby(range(100), again))
reenter(lambda again: zip(map(again, itertools.count()), itertools.count()))
reenter(lambda again: (again() for _ in itertools.count()))
reenter(lambda again: itertools.islice(map(again, itertools.count()), 1000))
reenter(lambda again: enumerate(map(again, itertools.count())))
reenter(lambda again: reversed([1, 2, 3]))
result = len(caught) > 0
