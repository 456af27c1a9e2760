# row: E11
# outcome: guest_trap
# about: the text of a panic holds the script's own names; a function called like a known panic must not change the kind of the ending
import opcode


def target():
    return 1


target.__code__ = target.__code__.replace(
    co_name="capacity overflow",
    co_filename="capacity overflow",
    co_code=bytes([opcode.opmap["BUILD_TUPLE"], 200, opcode.opmap["RETURN_VALUE"], 0]),
)
target()
