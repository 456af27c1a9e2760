cases = [
    "int('x')", "[1][3]", "{}['k']", "None.upper()", "undefined", "'a' + 1", "1 + 'a'", "len(3)", "3()", "(1)[0]",
    "int([])", "'abc'.index('z')", "float('x')", "[].pop()", "{}.popitem()", "next(iter([]))", "chr(-1)", "'%d' % 'x'",
    "'{}'.format()", "import_me.x", "for_ = 1", "range(1, 2, 0)", "bytes([300])", "'a' * 'b'", "sum(['a'])",
    "abs('x')", "ord('ab')", "''.join([1])", "object().x", "iter(5)", "1 < 'a'", "-'a'",
]
for case in cases:
    try:
        exec(case)
        print(case, "fine")
    except Exception as error:
        print(f"{case:22} {type(error).__name__}: {error}")
