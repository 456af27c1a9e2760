# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: __exit__ that returns True must not swallow a limit
class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return True


while True:
    with Swallow():
        while True:
            pass
