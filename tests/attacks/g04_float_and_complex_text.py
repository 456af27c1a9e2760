# row: G04
# outcome: ok
# result: []
# about: numbers written against the parser (long mantissas, huge exponents) neither hang nor crash
leaks = []
for text in (
    "1" * 400_000 + "e-400000",
    "0." + "0" * 400_000 + "1e400000",
    "1e" + "9" * 400_000,
    "0x1." + "f" * 400_000 + "p-99999999999999999999",
    "1_" * 200_000 + "1",
    "nan" * 100_000,
):
    for parse in (float, complex, float.fromhex):
        try:
            parse(text)
        except (ValueError, OverflowError):
            pass
result = leaks
