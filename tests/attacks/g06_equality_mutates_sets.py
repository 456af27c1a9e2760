# row: G06
# outcome: ok
# flags: --fuel 2000000000
# about: set operations whose elements mutate both operands must stay inside the interpreter
class Evil:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        a.clear()
        b.clear()
        a.update(range(20))
        b.update(range(20))
        return False


for operation in ("__and__", "__or__", "__sub__", "__xor__", "__ior__", "__iand__", "__isub__", "__ixor__", "__le__", "__eq__"):
    a = {Evil() for _ in range(1)}
    b = {Evil() for _ in range(1)}
    try:
        getattr(a, operation)(b)
    except RuntimeError:
        pass
result = "alive"
