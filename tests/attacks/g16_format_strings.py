# row: G16
# outcome: ok stack_overflow
# about: format strings nested by quotes, by specifications and by braces
deep = "1"
for _ in range(3_000):
    deep = "f'{" + deep + "}'"
specs = "f'{1" + ":{1" * 3_000 + "}" * 3_000 + "}'"
for source in (deep, specs, "f'" + "{" * 100_000 + "'", "f'" + "{1}" * 50_000 + "'", "f'{1!r" * 5000, "f'''{\n" * 3000, "t'{" * 2000):
    try:
        compile(source, "x", "eval")
    except (SyntaxError, RecursionError, MemoryError):
        pass
result = "raised"
