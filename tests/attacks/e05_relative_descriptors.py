# row: E05
# outcome: ok
# result: []
# about: paths relative to a folder's descriptor cannot climb out, before or after the folder moved or went
import os

leaks = []
os.makedirs("/a/b/c")
with open("/a/secret", "w") as file:
    file.write("mine")
try:
    folder = os.open("/a/b/c", os.O_RDONLY)
except OSError:
    folder = None
if folder is not None:
    os.rename("/a/b/c", "/moved")
    for path in ("../../../etc/passwd", "../../../../../etc/passwd", "/etc/passwd", "../" * 100 + "etc/passwd"):
        try:
            os.close(os.open(path, os.O_RDONLY, dir_fd=folder))
            leaks.append(path[:30])
        except (OSError, NotImplementedError, TypeError):
            pass
    os.rmdir("/moved")
    for act in (lambda: os.listdir(folder), lambda: os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=folder), lambda: os.mkdir("new", dir_fd=folder)):
        try:
            if act() != []:
                leaks.append("made something in a removed folder")
        except (OSError, NotImplementedError, TypeError):
            pass
result = leaks
