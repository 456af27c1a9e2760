import io
import zipfile
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "hello " * 100)
    z.writestr("dir/b.bin", bytes(10))
    with z.open("c.txt", "w") as f:
        f.write(b"streamed")
with zipfile.ZipFile(io.BytesIO(buffer.getvalue())) as z:
    print(z.namelist(), z.testzip(), z.getinfo("a.txt").file_size, z.getinfo("a.txt").compress_size < 100)
    print(z.read("c.txt"), z.open("a.txt").read(5), [i.is_dir() for i in z.infolist()])
    try:
        z.read("missing")
    except KeyError:
        print("KeyError")
with open("x.zip", "wb") as f:
    f.write(buffer.getvalue())
print(zipfile.is_zipfile("x.zip"), zipfile.is_zipfile(io.BytesIO(b"no")))
with zipfile.ZipFile("x.zip", "a") as z:
    z.writestr("d.txt", "added")
with zipfile.ZipFile("x.zip") as z:
    z.extractall("out")
    print(len(z.namelist()), zipfile.Path(z, "dir/").iterdir().__next__().name)
import os
print(sorted(os.listdir("out")), open("out/d.txt").read())
try:
    zipfile.ZipFile(io.BytesIO(b"broken"))
except zipfile.BadZipFile as error:
    print(error)
