# row: G01
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: two generators that resume each other without an outer loop in sight must meet the fuel limit
def left():
    while True:
        yield next(other)


def right():
    while True:
        yield 1


other = right()
for _ in left():
    pass
