from dataclasses import dataclass
@dataclass
class Request:
    method: str
    path: str
    body: dict | None = None
def route(request):
    match request:
        case Request(method="GET", path="/" | "/index"):
            return 200, "home"
        case Request("GET", path) if path.startswith("/static/"):
            return 200, f"file {path.removeprefix('/static/')}"
        case Request(method=("POST" | "PUT") as method, body={"id": int(id), "items": [str() as first, *others]}):
            return 201, f"{method} {id} {first} +{len(others)}"
        case Request(method="POST", body=None | {}):
            return 400, "empty"
        case Request(method=method):
            return 405, method.lower()
        case _:
            return 500, type(request).__name__
for request in (Request("GET", "/"), Request("GET", "/static/a.css"), Request("POST", "/x", {"id": 3, "items": ["a", "b"], "more": 1}),
                Request("PUT", "/x", {"id": "no", "items": ["a"]}), Request("POST", "/x"), Request("POST", "/x", {}), "not a request"):
    print(route(request))
class Color:
    RED, GREEN = "r", "g"
def name(value):
    match value:
        case Color.RED:
            return "red"
        case [[a, b], {"k": [c, *_]}]:
            return a, b, c
        case -1 | 1.5 | b"x":
            return "literal"
        case float("nan") if False:
            return "never"
        case (int() | str()) as simple:
            return f"simple {simple}"
    return "unmatched"
print(name("r"), name([(1, 2), {"k": "no"}]), name([(1, 2), {"k": [3]}]), name(-1), name(1.5), name(b"x"), name("z"), name(None))
