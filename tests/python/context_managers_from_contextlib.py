import contextlib
import io
@contextlib.contextmanager
def tag(name):
    print(f"<{name}>")
    try:
        yield name
    finally:
        print(f"</{name}>")
with tag("p") as p:
    print("text", p)
try:
    with tag("b"):
        raise ValueError("inside")
except ValueError as error:
    print("out", error)
with contextlib.suppress(KeyError, IndexError):
    {}["x"]
    print("never")
buffer = io.StringIO()
with contextlib.redirect_stdout(buffer):
    print("captured")
print(repr(buffer.getvalue()))
with contextlib.ExitStack() as stack:
    names = [stack.enter_context(tag(n)) for n in "xy"]
    stack.callback(print, "callback", 1)
    print(names)
class Closeable:
    def close(self):
        print("closed")
with contextlib.closing(Closeable()), contextlib.nullcontext("n") as n:
    print(n)
@tag("decorated")
def work():
    print("working")
work()
