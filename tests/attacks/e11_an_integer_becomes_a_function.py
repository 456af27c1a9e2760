# row: E11
# outcome: guest_trap python_error ok
# about: MAKE_FUNCTION on an integer confuses the types inside the guest: memory of the guest is corrupted at worst, and wasm stops wild calls
import opcode


def target(a=1):
    return a


operations = ("RESUME", "LOAD_FAST", "MAKE_FUNCTION", "RETURN_VALUE")
target.__code__ = target.__code__.replace(co_code=b"".join(bytes([opcode.opmap[name], 0]) for name in operations), co_stacksize=9)
function = target(0x41414141)
try:
    function.__code__ = (lambda: 1).__code__
    function()
finally:
    result = "survived"
