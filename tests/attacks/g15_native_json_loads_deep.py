# row: G15
# outcome: ok stack_overflow
# about: the native parser under reply.json() with 300,000 brackets and with objects
import _intentbox

for text in (b"[" * 300_000, b'{"a":' * 300_000, b"[" * 300_000 + b"]" * 300_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000):
    try:
        _intentbox.loads(text)
    except (ValueError, RecursionError):
        pass
result = "raised"
