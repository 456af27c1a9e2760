# row: E14
# outcome: ok
# result: []
# about: the JSON parser of the native module takes any bytes: depth, numbers, escapes, encodings
import _intentbox

leaks = []
for text in (b"", b"\xff", b"\x00", b"nul", b"1" * 5000, b"-", b"1e99999", b"1E-99999", b"0123", b'"\\ud800"', b'"\\u12"', b"[1,]", b'{"a":1,"a":2}', b"NaN", b"Infinity", b"[" * 200, b"\xef\xbb\xbf1", b"1 2", b'{"":{"":{"":1}}}', b"18446744073709551616", b"1" * 19 + b".5", b'"' + b"\\n" * 10_000 + b'"'):
    try:
        _intentbox.loads(text)
    except (ValueError, RecursionError, OverflowError):
        pass
result = leaks
