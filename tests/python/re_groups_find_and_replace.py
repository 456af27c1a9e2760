import re
log = "2024-05-01 12:00:01 ERROR [web-3] user=ada id=17\n2024-05-01 12:00:02 INFO [api] ok"
pattern = re.compile(r"^(?P<date>\S+) (?P<time>[\d:]+) (?P<level>[A-Z]+) \[(?P<host>\w+)(?:-(\d+))?\] (.*)$", re.M)
for m in pattern.finditer(log):
    print(m.groupdict(), m.group(5), m[6], m.span("level"))
print(re.findall(r"(\w+)=(\w+)", log), re.findall(r"\d+", "a1b22"), re.split(r"[,;]\s*", "a, b;c"), re.split(r"(-)", "a-b"))
print(re.sub(r"(\w+)@(\w+)", r"\2 at \1", "ada@home"), re.sub(r"\d+", lambda m: str(int(m[0]) * 2), "3 apples 10"), re.subn("a", "b", "banana", count=2))
print(re.match(r"\d+", "x1"), re.search(r"\d+", "x1").start(), re.fullmatch(r"[a-f0-9]+", "beef") is not None)
print(re.findall(r"(?i)HELLO", "Hello hello"), re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", "1234567"), re.findall(r"\b\w{3}\b", "the cat sat down"))
print(re.search(r"<(.+?)>", "<a><b>")[1], re.search(r"<(.+)>", "<a><b>")[1], re.search(r"(['\"]).*?\1", "say 'hi' \"x\"")[0])
verbose = re.compile(r"""
    (\d{1,3}) \. (\d{1,3})   # two parts
    (?! \. \d)               # and no more
""", re.X)
print(verbose.search("10.20"), re.escape("a.b*c"), re.sub(r"\s+", " ", " a \n b ").strip())
try:
    re.compile("(unclosed")
except re.error as error:
    print("re.error", error.pos)
