# cpython: "True\n"
# intentbox: "False\n"
import os
with open("file.txt", "w") as f:
    f.write("text")
os.chmod("file.txt", 0o444)
print(oct(os.stat("file.txt").st_mode & 0o777) == "0o444")
