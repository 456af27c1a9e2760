# row: G16
# outcome: ok stack_overflow
# about: 20,000 elif, except, case and decorator lines
for source in (
    "if 1: pass\n" + "elif 1: pass\n" * 20_000,
    "try: pass\n" + "except E: pass\n" * 20_000,
    "match x:\n" + " case 1: pass\n" * 20_000,
    "@d\n" * 20_000 + "def f(): pass",
    "try:\n pass\n" + "except* E: pass\n" * 5_000,
    "global " + ", ".join(f"n{i}" for i in range(20_000)),
    "a = " * 20_000 + "1",
    "del " + "(" * 5_000 + "a" + ")" * 5_000,
):
    try:
        compile(source, "x", "exec")
    except (SyntaxError, RecursionError, MemoryError):
        pass
result = "raised"
