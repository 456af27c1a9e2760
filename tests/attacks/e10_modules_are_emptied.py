# row: E10
# outcome: ok
# result: {"a":[1.5,null]}
# about: emptying sys.modules and the attributes of sys, json, io and intentbox does not change how the answer is read
import intentbox, io, json, sys

result = {"a": [1.5, None]}
for module in (json, io, intentbox, sys.modules["intentbox.errors"], sys.modules["builtins"], sys):
    for name in list(vars(module)):
        if name not in ("vars", "list"):
            try:
                delattr(module, name)
            except Exception:
                pass
