# row: G15
# outcome: ok stack_overflow
# about: marshal of a list nested 300,000 times, and of bytes that claim to be
import marshal

value = []
for _ in range(300_000):
    value = [value]
for act in (lambda: marshal.dumps(value), lambda: marshal.loads(b"[\x01\x00\x00\x00" * 300_000 + b"N"), lambda: marshal.loads(b"(\x01\x00\x00\x00" * 300_000)):
    try:
        act()
    except (ValueError, EOFError, RecursionError, TypeError):
        pass
result = "raised"
