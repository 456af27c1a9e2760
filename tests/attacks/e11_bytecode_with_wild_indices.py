# row: E11
# outcome: ok python_error guest_trap
# flags: --fuel 3000000000
# about: constants, names, locals and jumps far outside their tables crash the run at worst
import opcode


def target(a):
    b = a
    return b


code = target.__code__
extended = opcode.opmap["EXTENDED_ARG"]
for name in ("LOAD_CONST", "LOAD_FAST", "STORE_FAST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "JUMP_FORWARD", "JUMP_BACKWARD", "BUILD_LIST", "LOAD_COMMON_CONSTANT"):
    if name in opcode.opmap:
        try:
            target.__code__ = code.replace(co_code=bytes([extended, 255, extended, 255, extended, 255, opcode.opmap[name], 255, opcode.opmap["RETURN_VALUE"], 0]))
            target(1)
        except Exception:
            pass
result = "alive"
