# outcome: ok
# result: {"through":[0,1048576,2097152,2621443,2621443],"back and forth":[0,1100000,1048577],"same":true}

# Text mode asks its stream for 8 KiB at a time. A call to the host brings a whole piece all the same, and no byte twice:
# a run has a number of calls. What is read, and where it says it is, is what CPython's own stream over the same bytes
# says. The host is played here, since it counts calls and not what they asked for.
import csv
import io
import itertools

import _intentbox

LINE = f"42,Ærøskøbing,\"a, b\",{'1234.5 ' * 40}\r\n"
CONTENT = (LINE.encode() * 9_000)[: (5 << 19) + 3]
calls = []


def read_file(path, offset, length):
    calls.append(offset)
    return ("piece", CONTENT[offset : offset + length])


def stock(**options):
    return io.TextIOWrapper(io.BytesIO(CONTENT), **{"encoding": "utf-8", "errors": "replace", **options})


_intentbox.read_file = read_file

same = True
with files.open("data:a.csv", "r", newline="") as ours, stock(newline="") as theirs:
    rows = csv.reader(ours)
    for expected in csv.reader(theirs):
        same = same and next(rows) == expected
    same = same and next(rows, None) is None
read_through = list(calls)


def walk(text):
    """What a reader sees that goes back and forth."""
    seen = [text.readline(), text.read(70_000)[-9:], text.tell()]
    place = text.tell()
    seen += [text.readline(), text.seek(place), text.readline(), text.seek(0), text.read(3)]
    text.seek(0)
    seen += [list(itertools.islice(text, 3)), text.seek(place), text.read(2)]
    return seen


for options in (
    {},
    {"newline": ""},
    {"newline": "\n"},
    {"newline": "\r"},
    {"newline": "\r\n"},
    {"encoding": "latin-1"},
    {"encoding": "utf-16-le"},
    {"encoding": "ascii", "errors": "ignore"},
):
    with files.open("data:a.csv", "r", **options) as ours, stock(**options) as theirs:
        same = same and walk(ours) == walk(theirs)

# What lies inside the piece that is there needs no call.
calls.clear()
with files.open("data:a.csv", "rb") as stream:
    with io.BytesIO(CONTENT) as theirs:
        for place in (700_000, 10, 1_048_570, 3, 1_100_000, 1_048_577):
            stream.seek(place)
            theirs.seek(place)
            same = same and stream.read(5) == theirs.read(5)
result = {"through": read_through, "back and forth": list(calls), "same": same}
