# cpython: "name 'Undefined' is not defined\n"
# intentbox: "1\n"
try:
    def build(count: Undefined) -> "int":
        return count
    print(build(1))
except NameError as error:
    print(error)
