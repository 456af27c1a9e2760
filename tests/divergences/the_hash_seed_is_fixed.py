# cpython: "False\n"
# intentbox: "True\n"
print(hash("the same in every run") == 1763216354023951398)
