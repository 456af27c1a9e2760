# row: G15
# outcome: ok stack_overflow
# result: ["RecursionError", "RecursionError"]
# about: isinstance() and issubclass() against classes nested 300,000 tuples deep
classes = (int,)
for _ in range(300_000):
    classes = (classes,)
found = []
for act in (lambda: isinstance("", classes), lambda: issubclass(str, classes)):
    try:
        act()
    except RecursionError as error:
        found.append(type(error).__name__)
result = found
