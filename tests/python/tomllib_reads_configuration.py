import tomllib
text = '''
title = "demo"
count = 1_000
ratio = 6.02e23
on = true
when = 2024-05-01T07:32:00Z
day = 2024-05-01
hex = 0xff
[server]
hosts = ["a", "b"]
limits = { memory = 256, cpu = 0.5 }
[[rule]]
name = "first"
multi = """
line one
line two"""
[[rule]]
name = 'second\\raw'
[a.b.c]
deep = [[1, 2], ["x"]]
'''
data = tomllib.loads(text)
for key, value in data.items():
    print(key, "=", repr(value))
for bad in ("a = ", "a = 1\na = 2", "[x", "a = 2024-13-01"):
    try:
        tomllib.loads(bad)
    except tomllib.TOMLDecodeError as error:
        print("TOMLDecodeError")
import io
print(tomllib.load(io.BytesIO(b"k = [1, 2]")), tomllib.loads("f = 0.1", parse_float=str))
