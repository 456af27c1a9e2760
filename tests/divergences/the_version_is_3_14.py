# cpython: "(3, 11) cpython\n"
# intentbox: "(3, 14) rustpython\n"
import sys
print(sys.version_info[:2], sys.implementation.name)
