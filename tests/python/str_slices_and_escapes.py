s = "abcdefgh"
print(s[2:5], s[-3:], s[::-1], s[::2], s[5:2], s[100:], s[-100:2], s[6:2:-2])
print("tab\there", r"raw\n", "quote's", 'say "hi"', "line\\n", "\x41\u00e9\U0001F600")
print(repr("a'b"), repr('a"b\'c'), repr("\n\t\\"), repr("\x00\x7f\xa0é"), ascii("é😀"))
text = """first
  second
third"""
print(text.splitlines()[1], len(text), text.count("\n"))
print("é" == "e\u0301", len("e\u0301"), len("😀"), [hex(ord(c)) for c in "aé😀"])
print("a" < "b" < "ba", "Z" < "a", max("hello"), sorted("héllo"))
print("ab" * 3, "b" in "abc", "" in "x", "x" not in "abc", "%s" % "old")
import unicodedata
print(unicodedata.normalize("NFC", "e\u0301") == "é", unicodedata.name("é"), unicodedata.category("A"))
