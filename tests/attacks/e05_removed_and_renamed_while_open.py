# row: E05
# outcome: ok
# result: [true, true, true, []]
# about: an open file that is removed, replaced or renamed keeps its own content and never shows another's
import os

with open("/one", "w+") as one:
    one.write("first")
    one.flush()
    os.remove("/one")
    with open("/one", "w") as two:
        two.write("second")
    one.seek(0)
    own = one.read() == "first"
with open("/a", "w+") as a, open("/b", "w") as b:
    a.write("aaaa")
    a.flush()
    b.write("bb")
    b.flush()
    os.replace("/b", "/a")
    a.seek(0)
    kept = a.read() == "aaaa"
    replaced = open("/a").read() == "bb"
left = sorted(name for name in os.listdir("/") if name == "b")
result = [own, kept, replaced, left]
