# cpython: "SyntaxError invalid syntax 7\nSyntaxError invalid syntax 7\nIndentationError unexpected indent 2\nSyntaxError invalid syntax. Perhaps you forgot a comma? 11\n"
# intentbox: "SyntaxError Expected one or more names after 'import' 7\nSyntaxError '(' was never closed 6\nIndentationError unexpected indentation 1\nSyntaxError invalid syntax 11\n"
for code in ("import", "def f(:", "x = 1\n  y = 2", "x = {'a': 1 'b': 2}"):
    try:
        compile(code, "<code>", "exec")
    except SyntaxError as error:
        print(type(error).__name__, error.msg, error.offset)
