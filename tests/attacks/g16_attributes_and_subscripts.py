# row: G16
# outcome: ok stack_overflow
# about: chains of 100,000 attributes, subscripts, calls and slices
for source in ("a" + ".a" * 100_000, "a" + "[0]" * 100_000, "a" + "()" * 100_000, "a" + "[0:1]" * 100_000, "a" + ".a()" * 50_000):
    try:
        compile(source, "x", "eval")
    except (SyntaxError, RecursionError, MemoryError):
        pass
result = "raised"
