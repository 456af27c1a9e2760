# row: G05
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: (a+)+$ against a text that cannot match must burn fuel, or be linear
import re

re.match(r"(a+)+$", "a" * 64 + "b") is None
