# row: G14
# outcome: ok stack_overflow
# about: the same with the limit raised: the stack is the guard, and its end has a name
import sys

sys.setrecursionlimit(10**8)


class A:
    def __call__(self, *_):
        return list(map(self, [1]))


try:
    A()(1)
except RecursionError:
    pass
result = "raised"
