import json
data = {"name": "Ada", "n": None, "t": True, "nums": [1, 2.5, -3e10, 1e-7], "nested": {"é": "😀\n\"q\"\\"}, "empty": [{}, []]}
text = json.dumps(data)
print(text)
print(json.dumps(data, ensure_ascii=False, sort_keys=True), json.loads(text) == data)
print(json.dumps({"b": [1, {"c": 2}], "a": ()}, indent=2))
print(json.dumps([1, 2], separators=(",", ":")), json.dumps({1: "a", None: "b", True: "c", 2.5: "d"}))
print(json.loads('[1, 1.0, 1e2, "\\u00e9\\ud83d\\ude00", NaN, -Infinity]'), json.loads(b'{"a": 1}'), json.loads(" 3 "))
for bad in ("{'a': 1}", "", '["x"', "[1 2]", "nul"):
    try:
        json.loads(bad)
    except json.JSONDecodeError as error:
        print(type(error).__name__, error.pos, error.lineno, error.colno)
try:
    json.dumps({1, 2})
except TypeError as error:
    print(error)
try:
    json.dumps(float("nan"), allow_nan=False)
except ValueError:
    print("ValueError")
circular = []
circular.append(circular)
try:
    json.dumps(circular)
except ValueError as error:
    print(error)
