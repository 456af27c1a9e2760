# row: G06
# outcome: ok
# about: a key of the result whose comparison empties the result while it is turned into JSON
class Name(str):
    def __hash__(self):
        return hash("1")

    def __eq__(self, other):
        result.clear()
        result.update({n: [n] * 10 for n in range(100)})
        return False


result = {}
result[Name("x")] = 0
result[1] = 1
result[2.5] = [2]
