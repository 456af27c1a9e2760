# row: G05
# outcome: fuel_exhausted
# flags: --fuel 2000000000
# about: back references with a text that almost matches must burn fuel
import re

re.match(r"(x+x+)+\1+y", "x" * 60) is None
