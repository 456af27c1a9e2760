import os
import tempfile
with tempfile.TemporaryDirectory(prefix="job-") as folder:
    path = os.path.join(folder, "out.txt")
    with open(path, "w") as f:
        f.write("x")
    print(os.path.basename(folder).startswith("job-"), os.path.exists(path), os.path.isdir(folder))
print(os.path.exists(folder))
with tempfile.NamedTemporaryFile("w+", suffix=".txt", delete=False) as f:
    f.write("hello")
    f.flush()
    f.seek(0)
    print(f.read(), f.name.endswith(".txt"))
print(os.path.getsize(f.name))
os.unlink(f.name)
with tempfile.TemporaryFile() as f:
    f.write(b"binary")
    f.seek(0)
    print(f.read())
handle, name = tempfile.mkstemp()
os.write(handle, b"raw")
os.close(handle)
print(open(name, "rb").read(), tempfile.mkdtemp() != tempfile.mkdtemp())
with tempfile.SpooledTemporaryFile(max_size=10, mode="w+") as f:
    f.write("small")
    f.seek(0)
    print(f.read())
print(os.path.isdir(tempfile.gettempdir()))
