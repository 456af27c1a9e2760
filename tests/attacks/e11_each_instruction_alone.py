# row: E11
# outcome: ok python_error guest_trap fuel_exhausted
# flags: --fuel 3000000000
# about: an instruction that looks at the top of an empty stack prints nothing of the interpreter's own
import opcode


def target():
    return 1


for name in ("COPY", "SWAP", "LOAD_ATTR", "CHECK_EXC_MATCH", "GET_ITER", "END_SEND", "UNPACK_SEQUENCE", "MATCH_KEYS", "FOR_ITER", "SEND"):
    if name in opcode.opmap:
        target.__code__ = target.__code__.replace(co_code=bytes([opcode.opmap[name], 1] * 4))
        try:
            target()
        except Exception:
            pass
result = "alive"
