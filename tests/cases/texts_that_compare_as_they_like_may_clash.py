# outcome: result_invalid
# message: result is a dict with two keys that JSON writes as "a" and cannot be serialized to JSON
class Text(str):
    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other


result = {Text("a"): 1, "b": 2, Text("a"): 3}
