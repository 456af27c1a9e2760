# cpython: "def dedent(text):\n"
# intentbox: "OSError could not get source code\n"
import inspect
import textwrap
try:
    print(inspect.getsource(textwrap.dedent).splitlines()[0])
except OSError as error:
    print(type(error).__name__, error)
