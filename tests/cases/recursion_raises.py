# outcome: ok
# result: "RecursionError"
def f(n):
    return f(n + 1)


try:
    f(0)
except RecursionError as error:
    result = type(error).__name__
