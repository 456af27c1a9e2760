# cpython: "bad \"quoting\" value\n"
# intentbox: "reader() got an unexpected keyword argument 'quoting'\n"
import csv
try:
    csv.reader(["a"], quoting=9)
except TypeError as error:
    print(error)
