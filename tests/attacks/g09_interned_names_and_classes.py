# row: G09
# outcome: fuel_exhausted
# flags: --memory-mib 128 --fuel 3000000000
# about: interned strings and classes live as long as the interpreter and must count
import sys

number = 0
while True:
    number += 1
    sys.intern("n%d" % number + "x" * 500)
    keep = type("C" + "y" * 1000 + str(number), (), {"a%d" % number: 1})
