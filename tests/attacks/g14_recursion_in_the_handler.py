# row: G14
# outcome: ok stack_overflow
# flags: --fuel 3000000000
# about: handling RecursionError by recursing again must end
def f():
    try:
        f()
    except RecursionError:
        g()


def g():
    try:
        g()
    except RecursionError:
        pass


f()
result = "raised"
