# cpython: "OrderedDict([('a', 1)]) True\n"
# intentbox: "OrderedDict({'a': 1}) True\n"
from collections import OrderedDict
print(OrderedDict(a=1), OrderedDict(b=2) == {"b": 2})
