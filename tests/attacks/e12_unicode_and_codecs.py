# row: E12
# outcome: ok
# about: every codec with every error handler over broken text and bytes, and error handlers that lie about positions
import codecs, encodings.aliases, unicodedata

names = sorted(set(encodings.aliases.aliases.values())) + ["idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf_8_sig", "undefined", "rot13", "hex", "nothing", "\0", "x" * 10_000]
texts = ["\ud800\U0010ffff", "a\u0301\x00", "x" * 70 + "\udc80", "ß.ß" + "." * 70]
pieces = [b"\xff\xfe", b"\x00\xd8", b"\x80" * 9, b"\\x", b"\\N{", b"\\U99999999", b"xn--", b"xn--\xff", b"+AGE", b"\x1b$B\xff", b"\x8f\xa1", b"~{~"]
lies = (("", 2**62), ("", -(2**62)), (b"y", 10**6), (5, 1), ("", 10**6), None)
for number, lie in enumerate(lies):
    codecs.register_error(f"lie{number}", lambda error, lie=lie: lie)
handlers = ["strict", "ignore", "replace", "xmlcharrefreplace", "backslashreplace", "namereplace", "surrogateescape", "surrogatepass", "nothing"] + [f"lie{n}" for n in range(len(lies)) ]
for name in names:
    for handler in handlers if name in ("ascii", "utf_8", "utf_16", "cp1252", "shift_jis", "idna", "punycode", "unicode_escape") else handlers[:3]:
        for text in texts:
            try:
                text.encode(name, handler)
            except (ValueError, LookupError, TypeError, IndexError, OverflowError, AttributeError):
                pass
        for piece in pieces:
            try:
                piece.decode(name, handler)
            except (ValueError, LookupError, TypeError, IndexError, OverflowError, AttributeError, ImportError):
                pass
for text in texts:
    for act in (unicodedata.name, unicodedata.lookup, unicodedata.numeric, lambda t: unicodedata.normalize("NFKD", t), lambda t: unicodedata.is_normalized("NFC", t)):
        try:
            act(text)
        except (ValueError, KeyError, TypeError):
            pass
result = "alive"
