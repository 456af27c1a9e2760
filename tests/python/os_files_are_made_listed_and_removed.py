import os
os.makedirs("data/raw/2024")
os.mkdir("data/empty")
for name in ("b.txt", "a.txt", "raw/c.csv", "raw/2024/d.csv"):
    with open(os.path.join("data", name), "w") as f:
        f.write(name * 2)
print(sorted(os.listdir("data")), os.path.isdir("data/raw"), os.path.isfile("data/a.txt"), os.path.exists("nope"))
for folder, folders, files in sorted(os.walk("data")):
    print(folder, sorted(folders), sorted(files))
print(os.path.getsize("data/a.txt"), os.stat("data/a.txt").st_size, sorted(e.name for e in os.scandir("data") if e.is_file()))
os.rename("data/a.txt", "data/renamed.txt")
os.replace("data/b.txt", "data/renamed.txt")
with open("data/renamed.txt") as f:
    print(f.read())
os.remove("data/renamed.txt")
os.rmdir("data/empty")
for action in (lambda: os.remove("data/none"), lambda: os.rmdir("data"), lambda: os.mkdir("data"), lambda: open("none.txt"), lambda: open("data")):
    try:
        action()
    except OSError as error:
        print(type(error).__name__)
os.makedirs("data/raw", exist_ok=True)
print(sorted(os.listdir("data")))
