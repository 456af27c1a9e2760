# row: G03
# outcome: fuel_exhausted
# flags: --fuel 1000000000
# about: range().count() of an object with its own __eq__ walks the range natively and must burn fuel
class Never:
    def __eq__(self, other):
        return False


range(10**15).count(Never())
