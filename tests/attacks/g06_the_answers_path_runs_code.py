# row: G06
# outcome: result_invalid
# about: naming the place of an unsayable value asks a key for its repr, which may do anything and is cut
class Name(str):
    def __repr__(self):
        result.clear()
        return "\x1b[2J" + "z" * 10_000_000


result = {Name("x"): [b"bytes"]}
