# cpython: "unhashable type: 'slice'\n"
# intentbox: "1\n"
try:
    print(len({slice(1, 2): "x"}))
except TypeError as error:
    print(error)
