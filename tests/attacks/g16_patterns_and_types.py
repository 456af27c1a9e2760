# row: G16
# outcome: ok stack_overflow
# about: deep patterns, type parameters, annotations and star expressions
for source in (
    "match x:\n case " + "[" * 5_000 + "a" + "]" * 5_000 + ": pass",
    "match x:\n case " + "C(" * 5_000 + "a" + ")" * 5_000 + ": pass",
    "match x:\n case " + "{1:" * 5_000 + "a" + "}" * 5_000 + ": pass",
    "match x:\n case " + " | ".join(["1"] * 20_000) + ": pass",
    "type A[T: " + "list[" * 5_000 + "int" + "]" * 5_000 + "] = T",
    "def f[" + ", ".join(f"T{i}" for i in range(5_000)) + "](): pass",
    "x: " + "list[" * 5_000 + "int" + "]" * 5_000,
    "(" + "*" * 10_000 + "a,)",
    "a, " * 50_000 + "= b",
    "(" * 3_000 + "a" + ",)" * 3_000 + " = b",
):
    try:
        compile(source, "x", "exec")
    except (SyntaxError, RecursionError, MemoryError):
        pass
result = "raised"
