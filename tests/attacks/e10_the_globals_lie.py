# row: E10
# outcome: ok
# about: a class swapped under the main module does not let code run while the answer is read
import sys, types


class Main(types.ModuleType):
    @property
    def result(self):
        raise SystemExit("ran")

    def __getattr__(self, name):
        raise SystemExit("ran")


sys.modules["__main__"].__class__ = Main
1 + 1
