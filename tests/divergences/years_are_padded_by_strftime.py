# cpython: "1 True\n"
# intentbox: "0001 False\n"
from datetime import datetime
print(datetime(1, 1, 1).strftime("%Y"), datetime(2024, 1, 1).strftime("%s").isdigit())
