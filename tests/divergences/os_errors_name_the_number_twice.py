# cpython: "No such file or directory\n"
# intentbox: "No such file or directory (os error 44)\n"
try:
    open("missing.txt")
except FileNotFoundError as error:
    print(error.strerror)
