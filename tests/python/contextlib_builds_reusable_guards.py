import contextlib
import io
@contextlib.contextmanager
def transaction(store):
    backup = dict(store)
    try:
        yield store
    except Exception as error:
        store.clear()
        store.update(backup)
        print("rolled back:", error)
store = {"a": 1}
with transaction(store) as s:
    s["b"] = 2
with transaction(store) as s:
    s["a"] = 99
    raise ValueError("bad")
print(store)
class Timer(contextlib.ContextDecorator):
    def __enter__(self):
        print("start")
    def __exit__(self, *exc):
        print("stop")
@Timer()
def work(n):
    return n * 2
print(work(4))
with contextlib.ExitStack() as stack:
    stack.callback(print, "last")
    stack.push(lambda kind, error, trace: kind is KeyError)
    kept = stack.pop_all()
with kept:
    raise KeyError("swallowed")
with contextlib.redirect_stderr(io.StringIO()) as err, contextlib.redirect_stdout(io.StringIO()) as out:
    import sys
    print("e", file=sys.stderr)
    print("o")
print(repr(err.getvalue()), repr(out.getvalue()))
try:
    with contextlib.closing(io.StringIO("x")) as f:
        print(f.read())
    f.read()
except ValueError as error:
    print("closed")
