# row: E11
# outcome: ok python_error guest_trap
# flags: --fuel 2000000000
# about: a function marked as a generator, and a generator marked as a function, crash the run at worst
def plain():
    return 1


def generator():
    yield 1


for function in (plain, generator):
    for flag in (0x20, 0x80, 0x100, 0x200):
        try:
            function.__code__ = function.__code__.replace(co_flags=function.__code__.co_flags ^ flag)
            value = function()
            for _ in zip(value, range(5)):
                pass
            value.send(None)
        except Exception:
            pass
result = "alive"
