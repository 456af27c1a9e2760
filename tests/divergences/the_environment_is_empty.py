# cpython: "True\n"
# intentbox: "False\n"
import os
print(len(os.environ) > 0)
