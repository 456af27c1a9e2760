# row: E12
# outcome: guest_trap python_error
# about: a code object that asks for a stack of two billion values
def target():
    return 1


target.__code__ = target.__code__.replace(co_stacksize=2**31 - 1)
target()
