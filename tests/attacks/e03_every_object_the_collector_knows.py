# row: E03
# outcome: ok
# flags: --fuel 20000000000
# result: []
# about: no text or bytes that the collector can reach holds the canary, a token, or a path of the building machine
import gc, sys

needle = "".join(["canary", "-7f3a"])
words = [needle, "/roo" + "t/", "/crat" + "es/", "/.car" + "go/", "Bear" + "er ", "BEGIN " + "RSA"]
mine = {id(needle)} | {id(word) for word in words}
leaks = set()
seen = set()
waiting = list(gc.get_objects()) + [sys.modules]
while waiting and len(seen) < 400_000:
    value = waiting.pop()
    if id(value) in seen or id(value) in mine:
        continue
    seen.add(id(value))
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("latin-1")
    if type(value) is str:
        for word in words:
            if word in value and word != value:
                leaks.add(value[:120])
    else:
        try:
            waiting.extend(gc.get_referents(value))
        except Exception:
            pass
result = sorted(leaks) if len(seen) > 1000 else ["nothing was walked"]
