# row: G18
# outcome: python_error
# about: a duplicate of stdout has the limit of stdout
import os

copies = [1]
try:
    copies += [os.dup(1), os.dup(2)]
except OSError:
    pass
while True:
    for descriptor in copies:
        os.write(descriptor, b"x" * 1000)
