# row: G13
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 10000000000
# about: tee() keeps all that the slow side has not read, which must count
import collections, itertools

fast, slow = itertools.tee(itertools.count())
collections.deque(fast, maxlen=0)
