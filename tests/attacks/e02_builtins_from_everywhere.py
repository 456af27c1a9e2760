# row: E02
# outcome: ok
# result: []
# about: the real __import__, open and exec are reachable by many roads, and lead nowhere outside
import sys

needle = "".join(["canary", "-7f3a"])
leaks = []
roads = []
for cls in object.__subclasses__():
    space = getattr(getattr(cls, "__init__", None), "__globals__", None)
    if space:
        roads.append(space.get("__builtins__"))
        if "sys" in space:
            roads.append(vars(space["sys"].modules["builtins"]))
roads.append((lambda: 0).__globals__["__builtins__"])
roads.append(vars(sys.modules["builtins"]))
for road in roads:
    names = road if isinstance(road, dict) else vars(road) if road else {}
    try:
        os = names["__import__"]("o" + "s")
        if needle in str(dict(os.environ)):
            leaks.append("environment")
        with names["open"](f"/tmp/intentbox-{needle}.txt") as file:
            leaks.append(file.read(4))
    except (OSError, KeyError, TypeError):
        pass
result = leaks if len(roads) > 10 else ["few roads"]
