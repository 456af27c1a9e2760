# row: G13
# outcome: ok
# result: []
# about: a field of ten megabytes is over the limit of the csv module, odd dialects are refused
import csv, io

leaks = []
try:
    next(csv.reader(['"' + "a" * 10_000_000]))
    leaks.append("field of 10 MB")
except csv.Error:
    pass
for options in ({"delimiter": ""}, {"delimiter": "ab"}, {"quotechar": "\ud800x"}, {"lineterminator": 5}, {"quoting": 99}, {"escapechar": "\n\n"}):
    try:
        csv.writer(io.StringIO(), **options)
        leaks.append(str(options))
    except (TypeError, ValueError, csv.Error):
        pass
result = leaks
