# row: G19
# outcome: ok
# result: {"a":1}
# about: a dict subclass that lies in every method is read natively; its lies are not asked
class Evil(dict):
    def __iter__(self):
        while True:
            yield "x"

    def __len__(self):
        return 2**62

    def items(self):
        raise SystemExit

    keys = values = __getitem__ = get = items
    __class__ = list


result = Evil(a=1)
