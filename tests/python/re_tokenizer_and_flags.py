import re
TOKENS = [("NUMBER", r"\d+(?:\.\d*)?"), ("NAME", r"[A-Za-z_]\w*"), ("OP", r"[+\-*/()=]"), ("SKIP", r"\s+"), ("BAD", r".")]
scanner = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in TOKENS))
def tokens(text):
    for m in scanner.finditer(text):
        if m.lastgroup == "SKIP":
            continue
        if m.lastgroup == "BAD":
            raise SyntaxError(f"{m.group()!r} at {m.start()}")
        yield m.lastgroup, m.group()
print(list(tokens("x1 = 3.14 * (y + 2)")))
try:
    list(tokens("a ? b"))
except SyntaxError as error:
    print(error)
print(re.findall(r"^\w+", "one\ntwo three", re.M), re.findall(r"a.b", "a\nb", re.S), re.findall(r"\w+", "héé wörld"), re.findall(r"\w+", "héé", re.A))
print(re.match(r"(a)?(b)?", "b").groups(), re.match(r"(a)?b", "b").group(1), re.compile("x").pattern, re.compile("x", re.I).flags & re.I == re.I)
print(re.sub(r"(?P<first>\w+) (?P<second>\w+)", r"\g<second> \g<first>", "hello world"), re.findall(r"(?:ab)+", "ababxab"))
print([m.group() for m in re.finditer(r"(?=(\w\w))", "abc")], [m[1] for m in re.finditer(r"(?=(\w\w))", "abc")])
print(re.search("[\u4e00-\u9fff]+", "hello 東京 x")[0], re.findall(rb"\d+", b"a12"), re.split(r"\W+", "Words, words , words."))
print(bool(re.search(r"^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{6,}$", "Passw0rd")), re.sub("(?m)^", "> ", "a\nb"))
