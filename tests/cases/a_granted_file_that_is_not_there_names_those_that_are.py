# outcome: ok
# result: ["[Errno 2] data:gone.csv: there is no such file (there are data:a.csv, data:b.csv, data:c.csv, data:d.csv, data:e.csv and 1 more)","[Errno 2] data:2026/B.csv: there is no such file (there are data:b.csv, data:a.csv, data:c.csv, data:d.csv, data:e.csv and 1 more)","[Errno 44] No such file or directory (os error 44): 'notes.txt'","[Errno 44] No such file or directory (os error 44): 'other/a.csv'",1,"files has list, open, read_bytes and read_text, and no write_text: granted directories can only be read; return what is to be kept in `result`, or write a scratch file with the built-in open"]

# Whoever writes a script has not seen the directory: the error says what is there. The built-in `open` reads granted files too, and
# says of any other what it always says. The host's answers are played.
import _intentbox


asked = []


def read_file(path, offset, length):
    asked.append(path.partition(":")[0])
    if path.startswith("data:"):
        return ("failed", "not_found", f"{path}: there is no such file")
    return ("refused", "reading other was refused", None)


_intentbox.list_files = lambda folder: ("files", [(f"data:{name}.csv", 1, 0) for name in "abcdef"], [])
_intentbox.read_file = read_file


def told(call, *arguments):
    try:
        call(*arguments)
    except (OSError, AttributeError) as error:
        return str(error)


result = [
    told(files.open, "data:gone.csv"),
    told(open, "data/2026/B.csv"),
    told(open, "notes.txt"),
    told(open, "other/a.csv"),
    [told(open, f"other/{number}.csv") is None for number in range(3)].count(True) + asked.count("other"),
    told(lambda: files.write_text("data:a.csv", "")),
]
