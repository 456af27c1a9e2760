import errno
print(issubclass(KeyboardInterrupt, Exception), issubclass(GeneratorExit, Exception), issubclass(StopIteration, Exception), issubclass(SystemExit, BaseException))
def swallow(kind):
    try:
        raise kind
    except Exception:
        return "exception"
    except BaseException as error:
        return f"base {type(error).__name__}"
print([swallow(k) for k in (ValueError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)])
try:
    raise OSError(errno.ENOENT, "No such thing", "file.txt")
except FileNotFoundError as error:
    print(error.errno == errno.ENOENT, error.filename, error.strerror)
print(OSError("plain").errno, ConnectionRefusedError(111, "r").args, TimeoutError.__mro__[1].__name__)
def recursive(n):
    return recursive(n + 1)
try:
    recursive(0)
except RecursionError as error:
    print("RecursionError", "maximum recursion depth exceeded" in str(error))
try:
    raise "text"
except TypeError as error:
    print(type(error).__name__)
try:
    raise ValueError from KeyError("cause")
except ValueError as error:
    print(repr(error.__cause__), error.args)
e = Exception("a", 1)
e.extra = True
print(e.args, e, repr(e), e.__dict__, e.with_traceback(None) is e)
