# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: a generator that yields on GeneratorExit and loops in its finally must be metered
def stubborn():
    while True:
        try:
            yield 1
        except GeneratorExit:
            while True:
                pass


generator = stubborn()
next(generator)
del generator
