space = {"x": 3}
exec("y = x * 2\ndef f(): return y + x", space)
print(space["y"], space["f"]())
print(eval("x + y", {"x": 1}, {"y": 2}))
code = compile("a + b", "<sum>", "eval")
print(eval(code, {"a": 2, "b": 5}), code.co_filename)
try:
    eval("1 +")
except SyntaxError as error:
    print("SyntaxError", error.lineno)
try:
    exec("raise KeyError('inner')")
except KeyError as error:
    print(error.args)
print(sorted(name for name in dir([]) if not name.startswith("_")))
print(getattr(3, "real"), getattr(3, "missing", "none"), hasattr("", "upper"))
class Box: pass
box = Box()
setattr(box, "size", 4)
print(vars(box), box.__dict__)
delattr(box, "size")
print(vars(box))
