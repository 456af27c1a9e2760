words = ["naïve", "Straße", "東京", "Ελλάδα", "emoji 😀", "café"]
for word in words:
    encoded = word.encode("utf-8")
    print(word, len(word), len(encoded), encoded.decode("utf-8") == word)
print("東京".encode("utf-16-le").hex(), "é".encode("latin-1"), "é".encode("ascii", "replace"))
print("é".encode("ascii", "xmlcharrefreplace"), "é".encode("ascii", "backslashreplace"), "é€".encode("ascii", "ignore"))
try:
    "é".encode("ascii")
except UnicodeEncodeError as error:
    print(error.encoding, error.start, error.end, error.reason)
try:
    b"\xff\xfe".decode("utf-8")
except UnicodeDecodeError as error:
    print(error.encoding, error.start, error.reason)
print(b"caf\xe9".decode("latin-1"), b"\xffabc".decode("utf-8", "replace"), b"a\xff".decode("utf-8", "ignore"))
print("İ".lower() == "i̇", "Σ".lower(), "ΟΔΟΣ".lower(), "ﬁ".upper(), "ǆ".title())
print(sorted(words, key=str.casefold))
