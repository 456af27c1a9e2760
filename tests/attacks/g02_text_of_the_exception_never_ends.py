# row: G02
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: the guest asks an escaping exception for its text; an endless __str__ must be metered
class Endless(Exception):
    def __str__(self):
        while True:
            pass


raise Endless
