# row: G16
# outcome: ok
# result: []
# about: NUL, lone CR, form feeds, tabs, odd encodings, byte order marks and broken bytes in sources given to compile()
leaks = []
sources = [
    "a\0b", b"a\0b", b"\xff\xfe", b"\xef\xbb\xbf1", b"# coding: rot13\n1", b"# coding: utf-7\n+AGE-", b"# coding: nowhere\n1",
    b"# -*- coding: utf-16 -*-\n1", "\ud800", "'\ud800'", "\r", "\r\r\n\r", "\x0c\x0c 1", "\t1\n        2", "if 1:\n\t1\n        2", "\\", "1\\", "\\\n" * 10_000,
    "'", '"""', "'\\", "b'\xff'", "'\\N{'", "'\\N{}'", "'\\u12'", "'\\x'", "0x", "0b2", "1__0", "1e", "0o8", "1_", "9" * 5000, "1" + "j" * 100, "\u2028", "\ufeff1",
    "print\u200b(1)", "\U000e0001", "a\u0300 = 1", "?", "$", "!", "%x", "!ls", "a?", "?a", "a??", "%timeit 1", "/f 1", ",f 1", ";f 1", "...", "....", "@", "->", ":=", "(:=1)",
    "async", "await", "match", "case", "type", "_", "def", "lambda", "lambda:", "yield", "return", "*a", "**a", "x = *a", "(*a)", "for", "nonlocal x", "del ()", "del f()", "f() = 1",
    "None = 1", "__debug__ = 1", "x: int: int", "from . import *", "from __future__ import braces", "from __future__ import nothing", "import a.b as c.d", "with", "try:", "else:",
]
for source in sources:
    for mode in ("exec", "eval", "single"):
        try:
            compile(source, "\ud800" if mode == "single" else "x", mode)
        except (SyntaxError, ValueError, LookupError, TypeError, UnicodeError):
            pass
        except RecursionError:
            leaks.append(repr(source)[:30])
result = leaks
