# row: G16
# outcome: fuel_exhausted
# flags: --fuel 4000000000
# about: more arguments, names, constants, jumps and lines than any real program has
for source in (
    "f(" + ",".join("a" for _ in range(70_000)) + ")",
    "f(" + ",".join(f"a{i}=1" for i in range(20_000)) + ")",
    "def f(" + ",".join(f"a{i}" for i in range(20_000)) + "): pass",
    "x = [" + ",".join(str(i) for i in range(100_000)) + "]",
    "x = {" + ",".join(f"{i}:{i}" for i in range(40_000)) + "}",
    "\n" * 1_000_000 + "1",
    "while 1:\n" + " x = 1\n" * 70_000,
    "a" * 1_000_000,
    "1_" * 300_000 + "1",
    "'" + "\\N{BULLET}" * 20_000 + "'",
    "x = '" + "\\x41" * 200_000 + "'",
    "('a' 'b') " + "'c' " * 50_000,
):
    try:
        compile(source, "x", "exec")
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        pass
result = "raised"
