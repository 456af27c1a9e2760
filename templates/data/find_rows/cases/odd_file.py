"""Finds the first rows of a file in which a column equals or contains a value, or that hold a text anywhere."""

import re

import pack

file = 'odd.csv'
column = 'city'
equals = None
contains = 'new'
columns = None
limit = 5

COLUMNS_SHOWN = 12  # unless others are asked for

if column is not None and equals is None and contains is None:
    raise ValueError(f"which value of column {column}? say what it equals or contains")

equals = None if equals is None else equals.strip().lower()
contains = None if contains is None else contains.lower()


def fits(values):
    """Whether one of these values is the one that is looked for."""
    for value in values:
        value = pack.text(value).lower()
        if (equals is None or value.strip() == equals) and (contains is None or contains in value):
            return True
    return False


# A text stands in the file just as it is if nobody would write it with a quote or an escape. A number does not: JSON
# has many ways to write one.
needle = (contains or equals or "").strip()
if not re.fullmatch("[a-z0-9 _.@-]*[a-df-z][a-z0-9 _.@-]*", needle):
    needle = ""

table = pack.Table(file, needle)
shown = [table.column(name) for name in columns] if columns else table.columns[:COLUMNS_SHOWN]
cells = [(pack.short(name, 80), table.cell(name)) for name in shown]

rows = table.rows
if equals is not None or contains is not None:
    if column is not None:
        cell = table.cell(column)
        rows = (row for row in rows if fits([cell(row)]))
    else:
        rows = (row for row in rows if fits(row.values() if table.is_json else row))

result = {"rows": [], "more": False}
of_another_width = 0  # in these, a cell may stand under the wrong column
for row in rows:
    if len(result["rows"]) == limit:
        result["more"] = True  # the rest of the file is not read
        break
    of_another_width += not table.fits(row)
    result["rows"].append({name: pack.short(cell(row)) for name, cell in cells})
if not columns and len(table.columns) > len(shown):
    result["columns_not_shown"] = len(table.columns) - len(shown)
if of_another_width:
    result["rows_of_another_width"] = of_another_width
