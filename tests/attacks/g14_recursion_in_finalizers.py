# row: G14
# outcome: ok stack_overflow
# flags: --fuel 3000000000
# about: a finalizer that makes and drops an object of its own class is recursion without a call
class A:
    def __del__(self):
        A()


A()
result = "ended"
