# row: E10
# outcome: ok
# result: [1,2,3]
# about: replacing every builtin does not change how the answer is read
import builtins

put, failure = setattr, TypeError
result = [1, 2, 3]
for name in dir(builtins):
    if not name.startswith("__"):
        try:
            put(builtins, name, None)
        except failure:
            pass
