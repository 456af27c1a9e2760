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


# What people call the one column with such a word in its name, if none is called so.
CALLED = {
    "price": ("price", "cost"),
    "revenue": ("revenue", "turnover", "sales", "amount", "total", "price"),
    "turnover": ("revenue", "turnover", "sales", "amount", "total", "price"),
}

# What says yes, each with what says no.
ANSWERS = {"yes": "no", "true": "false", "y": "n"}


def role(column):
    """What a column is for: `measure` to add up, `date`, `id`, or `label`."""
    kind, name = column["type"], column["column"].lower()
    if kind == "date":
        return "date"
    if kind not in ("integer", "number", "mixed") or name in NUMBERING:
        return "label"
    return "id" if kind == "integer" and (name == "id" or name.endswith(("_id", " id", ".id"))) else "measure"


def called(columns):
    """Yields columns under names that people give them: `unit_cost` is a price, and `customer_name` the customer."""
    parts = {column["column"]: re.split("[^a-z]+", column["column"].lower()) for column in columns}
    numbers = [column["column"] for column in columns if role(column) == "measure"]
    for name, words in CALLED.items():
        alike = [column for column in numbers if not set(words).isdisjoint(parts[column])]
        if len(alike) == 1 and name not in names:
            yield {"column": alike[0], "role": "measure", "said": name}
    for column in columns:
        of, _, last = column["column"].lower().rpartition("_")
        if of and last == "name" and of not in names and of not in ("first", "last", "full", "user"):
            yield {"column": column["column"], "role": role(column), "said": of}


def yes_or_no(column):
    """Yields the answers of a column that knows no others, as people say them: `paid` and `unpaid`."""
    name = re.sub(r"^(is|has)[_ ]|\W+$", "", column["column"].lower())
    texts = {"true", "false"} if column["type"] == "boolean" else {text.lower() for text in column["texts"]}
    yes = next((yes for yes, no in ANSWERS.items() if texts and texts <= {yes, no}), None)
    name = name.replace("_", " ")
    if yes is None or not name.replace(" ", "").isalpha():
        return
    written = {text.lower(): text for text in column["texts"]}
    no = ANSWERS[yes]
    said = {name: yes, "inactive" if name == "active" else f"un{name}": no, f"non-{name}": no, f"not {name}": no, f"without {name}": no}
    for words, text in said.items():
        yield {"value": written.get(text, text), "of": column["column"], "said": words}


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
if any(row["role"] == "date" for row in result):
    result.extend({"column": cut, "role": "calendar"} for cut in pack.CALENDAR if cut not in names)
result.extend(called(columns))
# "Unpaid" says no of the column `paid`.
for column in columns:
    result.extend(yes_or_no(column))
# Columns with few different texts first: those are said most.
for column in sorted(columns, key=lambda column: len(column["texts"])):
    room = ROWS_MAX - len(result)
    result.extend({"value": text, "of": column["column"]} for text in column["texts"][:room])
