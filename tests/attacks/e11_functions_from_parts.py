# row: E11
# outcome: ok
# about: functions, cells, methods and code assembled from the wrong parts
import types


def outer():
    x = 1

    def inner():
        return x

    return inner


inner = outer()
for act in (
    lambda: types.FunctionType(inner.__code__, {}, None, None, ())(),
    lambda: types.FunctionType(inner.__code__, {}, None, None, (types.CellType(),))(),
    lambda: types.FunctionType(inner.__code__, {}, None, None, (5,))(),
    lambda: types.FunctionType(inner.__code__, {"__builtins__": 5}, None, None, inner.__closure__)(),
    lambda: types.FunctionType((lambda a, b: a).__code__, {}, None, (1, 2, 3, 4))(),
    lambda: types.FunctionType(compile("x", "x", "eval"), {})(),
    lambda: types.MethodType(len, None)(),
    lambda: types.CodeType(0, 0, 0, 0, 0, 0, b"", (), (), (), "", "", "", 0, b"", b""),
    lambda: exec(inner.__code__, {}),
    lambda: exec(inner.__code__, {}, closure=(types.CellType(1), types.CellType(2))),
    lambda: eval((lambda: (yield)).__code__),
    lambda: exec("x = 1", types.MappingProxyType({})),
    lambda: setattr(outer, "__code__", inner.__code__) or outer(),
    lambda: setattr(inner, "__defaults__", 5),
    lambda: setattr(inner, "__kwdefaults__", {1: 2}) or inner(),
    lambda: setattr(inner.__closure__[0], "cell_contents", inner) or inner()()(),
    lambda: delattr(inner.__closure__[0], "cell_contents") or inner(),
    lambda: types.FrameType(),
    lambda: types.TracebackType(None, None, 0, 0),
    lambda: types.GeneratorType(),
):
    try:
        act()
    except Exception:
        pass
result = "alive"
