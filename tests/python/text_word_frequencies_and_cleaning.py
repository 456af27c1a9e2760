import re
import string
import unicodedata
from collections import Counter
text = """It was the best of times, it was the worst of times; it was the age of wisdom...
It was the age of foolishness — it was the epoch of belief! Café, naïve, CAFÉ."""
words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.lower())
print(len(words), Counter(words).most_common(4), len(set(words)))
plain = "".join(c for c in unicodedata.normalize("NFKD", "Crème Brûlée Ñandú") if not unicodedata.combining(c))
print(plain, re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-"))
print(text.translate(str.maketrans("", "", string.punctuation))[:40])
def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
print([snake(n) for n in ("camelCase", "HTTPServerError", "simple", "getURL2Go")])
def camel(name):
    head, *tail = name.split("_")
    return head + "".join(map(str.title, tail))
print(camel("make_this_camel"), "racecar" == "racecar"[::-1], sorted(["listen", "silent", "enlist"], key=sorted) == ["listen", "silent", "enlist"])
bigrams = Counter(zip(words, words[1:]))
print([b for b, n in bigrams.most_common(2)], max(text.split(), key=len))
def rot13(s):
    return s.translate(str.maketrans(string.ascii_letters, string.ascii_lowercase[13:] + string.ascii_lowercase[:13] + string.ascii_uppercase[13:] + string.ascii_uppercase[:13]))
print(rot13("Hello"), rot13(rot13("Hello")))
import codecs
print(codecs.encode("Hello", "rot13"), codecs.lookup("utf8").name)
