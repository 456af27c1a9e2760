# cpython: "56 28 64\n"
# intentbox: "48 53 204\n"
import sys
print(sys.getsizeof([]), sys.getsizeof(1), sys.getsizeof({}))
