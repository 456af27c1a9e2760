# row: E02
# outcome: ok
# result: []
# about: walking every class from object finds no class that opens processes, sockets or host memory
leaks = []
seen = set()
waiting = [object]
while waiting:
    for cls in type.__subclasses__(waiting.pop()):
        if cls in seen:
            continue
        seen.add(cls)
        waiting.append(cls)
        if cls.__name__ in ("Popen", "socket", "CDLL", "mmap", "_CData", "_SimpleCData", "JsProxy", "Connection", "SharedMemory"):
            leaks.append(f"{cls.__module__}.{cls.__name__}")
result = leaks if len(seen) > 200 else ["no classes found"]
