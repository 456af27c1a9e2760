class Resource:
    def __init__(self, name, swallow=()):
        self.name, self.swallow = name, swallow
    def __enter__(self):
        print("open", self.name)
        return self.name.upper()
    def __exit__(self, kind, error, trace):
        print("close", self.name, kind.__name__ if kind else None)
        return kind is not None and issubclass(kind, self.swallow)
with Resource("a") as a, Resource("b") as b:
    print(a, b)
with Resource("c", (ValueError,)):
    raise ValueError
try:
    with Resource("d", (ValueError,)):
        raise KeyError("k")
except KeyError as error:
    print("left with", error)
with (
    Resource("e") as e,
    Resource("f") as f,
):
    print(e + f)
def early():
    with Resource("g"):
        return "returned"
print(early())
