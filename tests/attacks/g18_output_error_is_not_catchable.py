# row: G18
# outcome: output_limit
# about: the output limit is a trap: no except, no retry on another stream
import os, sys

while True:
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        try:
            stream.write("y" * 60_000)
            stream.flush()
        except BaseException:
            pass
    for descriptor in (1, 2):
        try:
            os.write(descriptor, b"z" * 60_000)
        except BaseException:
            pass
