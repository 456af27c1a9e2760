import json
data = json.loads('{"store": {"book": [{"title": "A", "price": 8.95, "tags": []}, {"title": "B", "price": 22}], "open": true}}')
def get(value, path, default=None):
    for part in path.replace("]", "").replace("[", ".").split("."):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return default
    return value
print(get(data, "store.book[1].title"), get(data, "store.book[5].title", "none"), get(data, "store.open.x"))
SCHEMA = {"type": "object", "required": ["store"], "properties": {"store": {"type": "object", "properties": {
    "book": {"type": "array", "items": {"type": "object", "required": ["title", "price", "tags"], "properties": {"price": {"type": "number", "maximum": 20}}}},
    "open": {"type": "string"}}}}}
TYPES = {"object": dict, "array": list, "string": str, "number": (int, float), "boolean": bool}
def check(value, schema, path="$"):
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind == "number" and isinstance(value, bool))):
        yield f"{path}: expected {kind}, found {json.dumps(value)}"
        return
    if isinstance(value, dict):
        yield from (f"{path}: {name!r} is missing" for name in schema.get("required", []) if name not in value)
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                yield from check(value[name], inner, f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from check(item, schema["items"], f"{path}[{i}]")
    if "maximum" in schema and value > schema["maximum"]:
        yield f"{path}: {value} > {schema['maximum']}"
print(*check(data, SCHEMA), sep="\n")
print(json.dumps(data, indent=None, separators=(",", ":")) == json.dumps(json.loads(json.dumps(data)), separators=(",", ":")))
