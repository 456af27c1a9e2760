# row: G19
# outcome: python_error
# about: file and function names in a traceback are the script's own to choose, and are cut and escaped
source = "def f():\n    raise ValueError('x')\n"
space = {}
exec(compile(source, "\x1b[31m/etc/" + "p" * 3_000_000 + ".py", "exec"), space)
code = space["f"].__code__
try:
    space["f"].__code__ = code.replace(co_name="\x1b]0;" + "q" * 3_000_000, co_qualname="r" * 3_000_000)
except (TypeError, AttributeError):
    pass
space["f"]()
