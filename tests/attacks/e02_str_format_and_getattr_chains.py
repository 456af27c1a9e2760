# row: E02
# outcome: ok
# result: []
# about: format fields that walk attributes reach the script's own world only
import http as standard_http, intentbox

needle = "".join(["canary", "-7f3a"])
leaks = []
for field in ("{0.__class__.__mro__}", "{0.__init__.__globals__}", "{0.get.__globals__}", "{0.request.__globals__[_intentbox].__dict__}", "{0.request.__code__.co_filename}",
              "{0.request.__builtins__[open]}", "{0._json.__loader__.__dict__}", "{0.__spec__.loader_state}", "{0.__spec__.__dict__}"):
    try:
        shown = field.format(intentbox.http)
    except (AttributeError, KeyError, TypeError):
        continue
    for word in (needle, "/root", "/crates", "/home/", "Bearer", "demo-token", ".cargo"):
        if word in shown:
            leaks.append(f"{field}: {word}")
result = leaks
