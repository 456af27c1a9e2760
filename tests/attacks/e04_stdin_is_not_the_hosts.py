# row: E04
# outcome: ok
# result: []
# about: stdin is empty or absent: nothing that the caller pipes into the program reaches the script
import os, sys

leaks = []
for act in (lambda: sys.stdin.read(), lambda: sys.__stdin__.readline(), lambda: input(), lambda: os.read(0, 100).decode(), lambda: open(0, closefd=False).read(), lambda: sys.stdin.buffer.read1()):
    try:
        text = act()
        if text:
            leaks.append(str(text)[:20])
    except Exception:
        pass
result = leaks
