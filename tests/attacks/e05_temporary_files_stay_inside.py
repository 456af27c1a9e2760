# row: E05
# outcome: ok
# result: []
# about: tempfile with hostile prefixes, folders and environment makes files in the scratch directory or none
import os, tempfile

leaks = []
os.environ["TMPDIR"] = "/../../../../tmp"
tempfile.tempdir = None
os.makedirs("/tmp", exist_ok=True)
for prefix in ("a", "../", "../../../tmp/", "/etc/", "\0"):
    try:
        descriptor, path = tempfile.mkstemp(prefix=prefix)
        os.write(descriptor, b"x")
        os.close(descriptor)
        if not os.path.exists(path):
            leaks.append(path)
    except (OSError, ValueError):
        pass
needle = "".join(["canary", "-7f3a"])
if f"intentbox-{needle}.txt" in os.listdir("/tmp"):
    leaks.append("the host's folder")
result = leaks
