with open("log.txt", "w", encoding="utf-8") as f:
    print(f.write("één\ntwo\n"), f.name, f.mode)
with open("log.txt", "a", encoding="utf-8") as f:
    f.writelines(["three\n", "four"])
with open("log.txt", encoding="utf-8") as f:
    print(f.readline().rstrip(), [line.rstrip("\n") for line in f], f.closed)
with open("log.txt", "rb") as f:
    f.seek(-4, 2)
    print(f.read(), f.tell())
with open("log.txt", "r+b") as f:
    f.seek(0)
    f.write(b"XX")
    f.truncate(6)
print(open("log.txt", "rb").read())
try:
    open("log.txt", "x")
except FileExistsError as error:
    print(type(error).__name__, error.filename)
try:
    open("missing.txt")
except FileNotFoundError as error:
    print("No such file or directory" in str(error), error.filename)
with open("data.bin", "wb") as f:
    f.write(bytes(range(256)) * 100)
with open("data.bin", "rb") as f:
    chunks = iter(lambda: f.read(10000), b"")
    print([len(chunk) for chunk in chunks])
with open("latin.txt", "w", encoding="latin-1", newline="\r\n") as f:
    f.write("é\n")
print(open("latin.txt", "rb").read(), open("latin.txt", encoding="latin-1").read() == "é\n")
try:
    open("latin.txt", encoding="utf-8").read()
except UnicodeDecodeError as error:
    print(type(error).__name__)
