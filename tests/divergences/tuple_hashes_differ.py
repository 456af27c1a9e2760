# cpython: "529344067295497451 True\n"
# intentbox: "5348907961221102481 True\n"
print(hash((1, 2, 3)), hash(frozenset([1])) == hash(frozenset([1])))
