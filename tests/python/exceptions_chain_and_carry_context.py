class AppError(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code
def load(text):
    try:
        return int(text)
    except ValueError as error:
        raise AppError(f"bad value {text!r}", code=42) from error
try:
    load("x")
except AppError as error:
    print(error, error.code, repr(error.__cause__), error.__suppress_context__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        {}["k"]
except KeyError as error:
    print(repr(error), repr(error.__context__), error.__cause__)
try:
    try:
        raise ValueError("a")
    except ValueError:
        raise TypeError("b") from None
except TypeError as error:
    print(error.__suppress_context__, error.__cause__)
error = ValueError("with note")
error.add_note("try again")
print(error.__notes__, error.args, str(Exception()), str(Exception(1, 2)), repr(KeyError("k")), str(KeyError("k")))
print(AppError.__mro__[1].__name__, issubclass(FileNotFoundError, OSError), issubclass(ModuleNotFoundError, ImportError))
