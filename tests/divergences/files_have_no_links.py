# cpython: "True\n"
# intentbox: "OSError\n"
import os
with open("target.txt", "w") as f:
    f.write("text")
try:
    os.symlink("target.txt", "link.txt")
    print(os.path.islink("link.txt"))
except OSError as error:
    print(type(error).__name__)
