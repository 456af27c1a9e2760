d = dict(b=2, a=1)
d["c"] = 3
d["b"] = 20
print(d, list(d), list(reversed(d)), d | {"z": 0}, {"z": 0} | d)
d |= {"a": 10}
print(d.pop("b"), d.pop("nope", None), d.popitem(), d)
print(d.get("x"), d.setdefault("n", []).append(1), d)
d.update(k=1, **{"l": 2})
print(sorted(d.keys() & {"k", "l", "q"}), sorted(d.keys() - {"k"}), ("k", 1) in d.items())
print(dict.fromkeys("abc", 0), dict([("x", 1), ("y", 2)]), {v: k for k, v in {"p": 1}.items()})
try:
    {[]: 1}
except TypeError as error:
    print("TypeError")
try:
    d["missing"]
except KeyError as error:
    print(repr(error))
try:
    for key in d:
        d[key + "!"] = 1
except RuntimeError as error:
    print(error)
print({"a": 1, "b": 2} == {"b": 2, "a": 1}, (1, 2) in {(1, 2): "t"})
