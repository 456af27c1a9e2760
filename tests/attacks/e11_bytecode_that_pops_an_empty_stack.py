# row: E11
# outcome: python_error guest_trap ok
# about: an instruction that takes from an empty stack crashes the run, silently and without a path of the building machine
def target():
    return 1


import opcode

pop = opcode.opmap["POP_TOP"]
target.__code__ = target.__code__.replace(co_code=bytes([pop, 0] * 8 + [opcode.opmap["RETURN_VALUE"], 0]))
target()
