# row: G16
# outcome: ok stack_overflow
# result: []
# about: 100,000 open parentheses, brackets and braces in source given to compile()
leaks = []
for opening, closing in (("(", ")"), ("[", "]"), ("{", "}"), ("(", ""), ("f(", ")"), ("a[", "]"), ("(yield ", ")")):
    for count in (150, 2_000, 100_000):
        try:
            compile(opening * count + "1" + closing * count, "x", "eval")
        except (SyntaxError, RecursionError, MemoryError, ValueError):
            pass
result = leaks
