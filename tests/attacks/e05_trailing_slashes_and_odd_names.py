# row: E05
# outcome: ok
# result: []
# about: a file is not a folder with a slash behind it, and names with NUL, newlines, surrogates and bytes are names or errors
import os

with open("/file", "w") as file:
    file.write("mine")
os.mkdir("/folder")
leaks = []
for name, act in (
    ("read file/", lambda: open("/file/").read()),
    ("read file/.", lambda: open("/file/.").read()),
    ("read file/..", lambda: open("/file/../file").read()),
    ("write new/", lambda: open("/new/", "w").close()),
    ("rename onto folder/", lambda: os.rename("/file", "/folder/")),
    ("rename folder into itself", lambda: os.rename("/folder", "/folder/inner")),
    ("remove file/", lambda: os.remove("/file/")),
    ("rmdir file", lambda: os.rmdir("/file")),
    ("rmdir .", lambda: os.rmdir("/folder/.")),
    ("rmdir root", lambda: os.rmdir("/")),
    ("rename root", lambda: os.rename("/", "/r")),
    ("remove folder", lambda: os.remove("/folder")),
    ("mkdir file/x", lambda: os.mkdir("/file/x")),
    ("mkdir again", lambda: os.mkdir("/folder")),
    ("mkdir ..", lambda: os.mkdir("/folder/..")),
    ("mkdir .", lambda: os.mkdir("/folder/.")),
    ("empty", lambda: open("", "w")),
    ("NUL", lambda: open("/a\0b", "w")),
    ("NUL bytes", lambda: os.mkdir(b"/a\0b")),
    ("write folder", lambda: open("/folder", "w")),
    ("exclusive", lambda: open("/file", "x")),
):
    try:
        act()
        leaks.append(name)
    except (OSError, ValueError):
        pass
if sorted(set(os.listdir("/")) - {"tmp", "usr"}) != ["file", "folder"]:
    leaks.append(str(sorted(os.listdir("/"))))
if open("/file").read() != "mine":
    leaks.append("content")
result = leaks
