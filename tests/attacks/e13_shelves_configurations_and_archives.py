# row: E13
# outcome: ok
# result: []
# about: libraries that read configuration, logging set-ups or archives from strings open nothing outside
import configparser, io, json, logging.config, tarfile

leaks = []
for act in (
    lambda: logging.config.dictConfig({"version": 1, "handlers": {"h": {"class": "logging.FileHandler", "filename": "/etc/owned"}}, "root": {"handlers": ["h"]}}),
    lambda: logging.config.dictConfig({"version": 1, "handlers": {"h": {"()": "subprocess.check_output", "args": "id"}}, "root": {"handlers": ["h"]}}),
    lambda: configparser.ConfigParser().read_file(open("/etc/passwd")),
    lambda: tarfile.open("/etc/passwd"),
    lambda: open(json.loads('"/etc/passwd"')),
):
    try:
        act()
        leaks.append("opened")
    except BaseException:
        pass
stream = io.BytesIO()
with tarfile.open(fileobj=stream, mode="w") as archive:
    for name, kind, target in (("../../../out", tarfile.REGTYPE, ""), ("/etc/out", tarfile.REGTYPE, ""), ("l", tarfile.SYMTYPE, "/etc/passwd"), ("h", tarfile.LNKTYPE, "/etc/passwd"), ("d", tarfile.CHRTYPE, "")):
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, target
        archive.addfile(entry)
stream.seek(0)
try:
    with tarfile.open(fileobj=stream) as archive:
        archive.extractall("/x", filter="fully_trusted")
    with open("/x/l") as file:
        leaks.append(file.read(5))
except BaseException:
    pass
result = leaks
