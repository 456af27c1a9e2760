# row: G16
# outcome: ok stack_overflow
# about: 100,000 unary and binary operators, comparisons and conditional expressions
for source in ("-" * 100_000 + "1", "not " * 100_000 + "1", "~" * 100_000 + "1", "1" + "+1" * 100_000, "1" + "**1" * 100_000,
               "1" + "<1" * 100_000, "1" + " if 1 else 1" * 100_000, "1" + " and 1" * 100_000, "await " * 100_000 + "1"):
    try:
        compile(source, "x", "eval")
    except (SyntaxError, RecursionError, MemoryError):
        pass
result = "raised"
