import re
TEMPLATE = """Dear {{ user.name }},
{% for item in items %}- {{ item.title | upper }}: {{ item.price }}
{% endfor %}Total: {{ total }}
{% if user.vip %}Thanks for staying!
{% endif %}"""
filters = {"upper": str.upper, "len": len}
def lookup(context, path):
    value = context
    for part in path.split("."):
        value = value[part] if isinstance(value, dict) else getattr(value, part)
    return value
def render(text, context):
    text = re.sub(r"{% for (\w+) in ([\w.]+) %}(.*?){% endfor %}",
                  lambda m: "".join(render(m[3], {**context, m[1]: item}) for item in lookup(context, m[2])), text, flags=re.S)
    text = re.sub(r"{% if ([\w.]+) %}(.*?){% endif %}", lambda m: m[2] if lookup(context, m[1]) else "", text, flags=re.S)
    def value(m):
        path, *names = [p.strip() for p in m[1].split("|")]
        result = lookup(context, path)
        for name in names:
            result = filters[name](result)
        return str(result)
    return re.sub(r"{{(.*?)}}", value, text)
items = [{"title": "tea", "price": 3.5}, {"title": "cake", "price": 4}]
print(render(TEMPLATE, {"user": {"name": "Ada", "vip": True}, "items": items, "total": sum(i["price"] for i in items)}))
try:
    render("{{ missing.x }}", {})
except KeyError as error:
    print("KeyError", error)
