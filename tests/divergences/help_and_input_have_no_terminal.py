# cpython: "True True\n"
# intentbox: "EOFError a terminal is not available in the sandbox: values enter with --input, as params\n"
import getpass
try:
    print(callable(getpass.getpass), getpass.getpass.__name__ == "unix_getpass" or getpass.getpass())
except EOFError as error:
    print(type(error).__name__, error)
