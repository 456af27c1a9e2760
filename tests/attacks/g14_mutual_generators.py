# row: G14
# outcome: ok stack_overflow
# result: "RecursionError"
# about: generators that delegate to new generators without end
def f():
    yield from f()


try:
    list(f())
except RecursionError as error:
    result = type(error).__name__
