import os
import shutil
os.makedirs("src/sub")
for name in ("a.txt", "sub/b.txt", "sub/skip.tmp"):
    with open(f"src/{name}", "w") as f:
        f.write(name)
shutil.copy("src/a.txt", "copy.txt")
shutil.copyfile("src/a.txt", "src/c.txt")
shutil.copytree("src", "backup", ignore=shutil.ignore_patterns("*.tmp"))
print(open("copy.txt").read(), sorted(os.listdir("backup")), os.listdir("backup/sub"))
shutil.move("backup/a.txt", "moved.txt")
print(os.path.exists("backup/a.txt"), open("moved.txt").read())
shutil.copytree("src", "backup", dirs_exist_ok=True)
print(sorted(os.listdir("backup/sub")))
shutil.rmtree("backup")
shutil.rmtree("backup", ignore_errors=True)
print(os.path.exists("backup"))
import io
out = io.StringIO()
with open("moved.txt") as f:
    shutil.copyfileobj(f, out)
print(out.getvalue(), shutil.which("no-such-program"))
name = shutil.make_archive("archive", "zip", "src")
print(os.path.basename(name))
shutil.unpack_archive("archive.zip", "unpacked")
print(sorted(os.listdir("unpacked")))
