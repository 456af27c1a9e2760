# cpython: "True 8 8 8\n"
# intentbox: "False 4 4 4\n"
import array
import struct
import sys
print(sys.maxsize == 2 ** 63 - 1, struct.calcsize("P"), struct.calcsize("l"), array.array("l").itemsize)
