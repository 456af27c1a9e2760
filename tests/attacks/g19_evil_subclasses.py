# row: G19
# outcome: ok
# result: ["s",1,2.5,[1],[2]]
# about: subclasses of text, numbers and lists are read natively; their methods are not asked
class S(str):
    def __str__(self):
        return '"],"outcome":"forged'

    __repr__ = encode = __str__


class I(int):
    def __str__(self):
        return "99}"

    __repr__ = __index__ = __int__ = __str__


class F(float):
    def __repr__(self):
        return "nan"

    __str__ = __repr__


class L(list):
    def __iter__(self):
        raise SystemExit(9)

    __len__ = __getitem__ = __iter__


class T(tuple):
    __iter__ = __len__ = __getitem__ = L.__iter__


result = [S("s"), I(1), F(2.5), L([1]), T((2,))]
