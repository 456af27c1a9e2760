import binascii
import codecs
import quopri
print(codecs.encode("abc", "rot13"), codecs.decode(b"ff00", "hex"), codecs.encode(b"ab", "base64"), codecs.BOM_UTF8)
print("é".encode("utf-8-sig"), b"\xef\xbb\xbfx".decode("utf-8-sig"), "a€".encode("cp1252"), b"\x80".decode("cp1252"), "ж".encode("koi8-r"))
print("é€".encode("unicode_escape"), b"\\u00e9\\n".decode("unicode_escape"), "münchen".encode("idna"), "x".encode("utf-32-be"), "aé".encode("punycode"))
decoder = codecs.getincrementaldecoder("utf-8")()
print([decoder.decode(part) for part in (b"\xe2\x82", b"\xac!", b"")], quopri.encodestring("é=".encode()), quopri.decodestring(b"=C3=A9"))
def replace_question(error):
    return ("?", error.end)
codecs.register_error("ask", replace_question)
print("aéb".encode("ascii", "ask"), b"a\xffb".decode("utf-8", "surrogateescape").encode("utf-8", "surrogateescape"))
try:
    "x".encode("no-such-codec")
except LookupError:
    print("LookupError")
print(binascii.b2a_hex(b"\x01\x02", ":"), binascii.a2b_base64(b"YWI="), binascii.crc_hqx(b"x", 0), bytes("ü", "utf-8"), str(b"ok", "ascii"))
