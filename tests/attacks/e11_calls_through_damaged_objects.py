# row: E11
# outcome: guest_trap
# about: instructions that take the wrong kind of object from the stack corrupt the guest's own memory at worst: the run ends as a crash
import opcode


def target(a=1, b="x"):
    return a


names = ("LOAD_FAST", "CALL", "RETURN_VALUE")
load, call, back = (opcode.opmap[name] for name in names)
for depth in (1, 2, 3, 50, 200, 255):
    target.__code__ = target.__code__.replace(co_code=bytes([load, 0, call, depth, back, 0]), co_stacksize=1)
    try:
        target()
    except Exception:
        pass
result = "survived"
