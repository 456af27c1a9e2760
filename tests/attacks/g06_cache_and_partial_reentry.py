# row: G06
# outcome: ok
# flags: --fuel 2000000000
# about: caches and cached properties whose computation clears the cache and asks again
import functools


class Key:
    def __hash__(self):
        f.cache_clear()
        return 1

    def __eq__(self, other):
        f.cache_clear()
        try:
            f(Key())
        except RecursionError:
            pass
        return False


@functools.lru_cache(maxsize=2)
def f(key):
    f.cache_clear()
    return key


for _ in range(20):
    try:
        f(Key())
    except RecursionError:
        pass
result = "alive"
