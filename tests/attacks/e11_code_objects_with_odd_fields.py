# row: E11
# outcome: ok python_error guest_trap
# about: code.replace() with negative, huge or mistyped fields is refused or crashes the run at worst
def target(a, *b, c=1, **d):
    return a, b, c, d


code = target.__code__
for field, values in {
    "co_argcount": (-1, 5, 2**31 - 1, 2**31, 2**64), "co_posonlyargcount": (-1, 99), "co_kwonlyargcount": (-1, 99, 2**31 - 1), "co_nlocals": (-1, 0, 10**6), "co_stacksize": (-1, 0, 2**31 - 1),
    "co_flags": (-1, 0, 2**31 - 1, 0x20, 0x80, 0x200), "co_firstlineno": (-(2**31), 0, 2**31 - 1), "co_consts": ((), (None,) * 9, ([],)), "co_names": ((), ("a",) * 9, (1,)), "co_varnames": ((), ("a",) * 9),
    "co_freevars": (("x",) * 9,), "co_cellvars": (("a",) * 9,), "co_code": (b"", b"x", b"\0" * 9), "co_linetable": (b"", b"\xff" * 99), "co_exceptiontable": (b"\xff" * 99, b"\x80\x00\x01\x02" * 9),
    "co_name": ("", "\ud800"), "co_filename": ("\0", "x" * 10**6), "co_qualname": ("\ud800",),
}.items():
    for value in values:
        try:
            target.__code__ = code.replace(**{field: value})
            list(target.__code__.co_lines())
            list(target.__code__.co_positions())
            target(1, 2, 3, e=5)
        except Exception:
            pass
result = "alive"
