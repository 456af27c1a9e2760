# row: G16
# outcome: ok stack_overflow
# about: the other ways into the parser survive the same sources
import ast, io, symtable, tokenize

for source in ("(" * 20_000, "a.b" * 5000, "f'{'", "if 1:\n" + " " * 10_000 + "1", "\x0c\\", "'''", "\\", "!a", "lambda: " * 5000 + "1", "-" * 50_000 + "1"):
    for act in (lambda: ast.parse(source), lambda: symtable.symtable(source, "x", "exec"), lambda: list(tokenize.generate_tokens(io.StringIO(source).readline)),
                lambda: ast.literal_eval(source)):
        try:
            act()
        except (SyntaxError, RecursionError, ValueError, MemoryError, tokenize.TokenError):
            pass
result = "raised"
