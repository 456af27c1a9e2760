order = {"id": 7, "customer": {"name": "Ada", "tags": ["vip", "eu"]},
         "lines": [{"sku": "A1", "qty": 2, "price": 9.5}, {"sku": "B2", "qty": 1, "price": 20}]}
def flatten(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from flatten(inner, f"{path}[{i}]")
    else:
        yield path, value
for path, value in flatten(order):
    print(path, "=", value)
print(sum(line["qty"] * line["price"] for line in order["lines"]))
def deep_merge(a, b):
    out = dict(a)
    for key, value in b.items():
        out[key] = deep_merge(out[key], value) if isinstance(value, dict) and isinstance(out.get(key), dict) else value
    return out
merged = deep_merge(order, {"customer": {"name": "Grace"}, "paid": True})
print(merged["customer"], merged["paid"], order["customer"]["name"])
