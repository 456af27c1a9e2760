# cpython: "here\n"
# intentbox: "<urlopen error unknown url type: file: open(path) reads files of the scratch directory>\n"
import os
import tempfile
import urllib.error
import urllib.request
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "note.txt")
    with open(path, "w") as file:
        file.write("here")
    try:
        print(urllib.request.urlopen("file://" + path).read().decode())
    except urllib.error.URLError as error:
        print(error)
