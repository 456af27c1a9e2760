import io
import tarfile
buffer = io.BytesIO()
with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
    for name, text in (("a.txt", b"alpha"), ("dir/b.txt", b"beta" * 50)):
        info = tarfile.TarInfo(name)
        info.size, info.mtime = len(text), 1_700_000_000
        tar.addfile(info, io.BytesIO(text))
buffer.seek(0)
with tarfile.open(fileobj=buffer) as tar:
    print(tar.getnames(), tar.getmember("a.txt").size, tar.extractfile("dir/b.txt").read(8), [m.isfile() for m in tar])
import os
os.makedirs("tree/sub")
with open("tree/sub/x.txt", "w") as f:
    f.write("on disk")
with tarfile.open("tree.tar", "w") as tar:
    tar.add("tree")
with tarfile.open("tree.tar") as tar:
    print(sorted(tar.getnames()))
    tar.extractall("out", filter="data")
print(open("out/tree/sub/x.txt").read(), tarfile.is_tarfile("tree.tar"))
try:
    tarfile.open(fileobj=io.BytesIO(b"nothing"))
except tarfile.ReadError as error:
    print("ReadError")
evil = tarfile.TarInfo("../escape.txt")
try:
    tarfile.data_filter(evil, "out")
except tarfile.OutsideDestinationError:
    print("outside")
