# row: G16
# outcome: ok stack_overflow
# about: 50,000 nested lambdas, comprehensions, functions and classes
for source in (
    "lambda: " * 50_000 + "1",
    "[" * 3_000 + "x" + " for x in y]" * 3_000,
    "lambda x=" * 20_000 + "1" + ": x" * 20_000,
    "\n".join(" " * depth + "def f():" for depth in range(900)) + "\n" + " " * 900 + "pass",
    "\n".join(" " * depth + "class C:" for depth in range(900)) + "\n" + " " * 900 + "pass",
    "\n".join(" " * depth + "if 1:" for depth in range(900)) + "\n" + " " * 900 + "pass",
    "\n".join(" " * depth + "try:" for depth in range(900)),
    "\n".join(" " * depth + "with a:" for depth in range(900)) + "\n" + " " * 900 + "pass",
):
    try:
        compile(source, "x", "exec")
    except (SyntaxError, RecursionError, MemoryError):
        pass
result = "raised"
