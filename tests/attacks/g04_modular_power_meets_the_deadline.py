# row: G04
# outcome: deadline_exceeded
# flags: --timeout-ms 300 --fuel 10000000000000
# about: one native call without bytecode must still yield to the deadline
pow(3, (1 << 2_000_000) - 1, (1 << 1_000_001) - 1)
