"""Names the columns of a data file and the texts in them, as people may say them."""

import re

import pack
from intentbox import tables

file = 'sales.csv'

# Texts of each column, and all rows of the answer: more are not names that people know by heart.
TEXTS_MAX = 1000
ROWS_MAX = 5000

# Lines of a file that is no table, and the longest of their cells that may be names.
LINES_MAX = 20
NAME_CHARS_MAX = 40

# Columns of whole numbers that nobody adds up.
NUMBERING = ("year", "month", "day", "zip", "postcode", "phone")


def role(column):
    """What a column is for: `measure` to add up, `date`, `id`, or `label`."""
    kind, name = column["type"], column["column"].lower()
    if kind == "date":
        return "date"
    if kind not in ("integer", "number", "mixed") or name in NUMBERING:
        return "label"
    return "id" if kind == "integer" and (name == "id" or name.endswith(("_id", " id", ".id"))) else "measure"


def words():
    """Cells of the first lines as columns, where a file is no table: the question is read, and its answer says why."""
    if pack.kind(file) not in ("csv", "tsv"):
        return []
    start = next(iter(pack.pieces(file)), b"").decode("utf-8", errors="replace")
    cells = [cell.strip(' "') for line in start.splitlines()[:LINES_MAX] for cell in re.split("[,;|\t]", line)]
    names = dict.fromkeys(cell for cell in cells if any(map(str.isalpha, cell)) and len(cell) <= NAME_CHARS_MAX)
    return [{"column": name, "type": "mixed", "texts": []} for name in list(names)[:TEXTS_MAX]]


try:
    columns = tables.vocabulary(f"data:{file}", texts=TEXTS_MAX)
except ValueError:
    columns = words()
result = [{"column": column["column"], "role": role(column)} for column in columns]
names = {column["column"].lower() for column in columns}
# Of `amount#1` and `amount#2` somebody who does not know that there are two says `amount`, and is told.
for column in columns:
    name, _, number = column["column"].rpartition("#")
    if number == "1" and f"{name}#2".lower() in names and name.lower() not in names:
        result.append({"column": name, "role": role(column)})
# Groups by month need a date, and no column of that name.
if "month" not in names and any(row["role"] == "date" for row in result):
    result.append({"column": "month", "role": "month"})
# Columns with few different texts first: those are said most.
for column in sorted(columns, key=lambda column: len(column["texts"])):
    room = ROWS_MAX - len(result)
    result.extend({"value": text, "of": column["column"]} for text in column["texts"][:room])
