"""Describes one file: its columns with types, missing values, least and greatest value, and examples."""

import re

import pack

file = 'Orders.jsonl'
columns = ['Customer.Name', 'id']
sample = 2

COLUMNS_SHOWN = 40  # unless others are asked for
EXAMPLES_SHOWN = 3


def type_of(value, amount):
    """The type of a value, as a person would say it: `"12"` in CSV is an integer."""
    if type(value) is bool or (type(value) is str and value.lower() in ("true", "false")):
        return "boolean"
    if type(value) is str and re.match(r"\s*-?0\d", value):
        return "text"  # 007 is a code
    if amount is not None:
        return "integer" if amount == int(amount) and "." not in str(value) else "number"
    if type(value) is str:
        return "date" if re.match(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)", value) else "text"
    return "list" if type(value) is list else "object"


class Column:
    """What one column holds, as far as it was read."""

    def __init__(self, name, cell):
        self.name, self.cell = name, cell
        self.filled, self.types, self.examples = 0, set(), []
        self.least, self.greatest = {}, {}  # of numbers and of dates, which cannot be compared

    def take(self, row):
        value = self.cell(row)
        if value is None or value == "":
            return
        self.filled += 1
        amount = pack.number(value)
        found = type_of(value, amount)
        self.types.add(found)
        if found in ("integer", "number", "date"):
            key, family = (value, "date") if found == "date" else (amount, "number")
            self.least[family] = min(self.least.get(family, key), key)
            self.greatest[family] = max(self.greatest.get(family, key), key)
        if len(self.examples) < EXAMPLES_SHOWN:
            value = pack.short(value, 40)
            if value not in self.examples:
                self.examples.append(value)

    def told(self, rows):
        """The column as it is shown, when so many rows were looked at."""
        types = self.types - {"integer"} if "number" in self.types else self.types
        found = min(types) if len(types) == 1 else "mixed" if types else "empty"
        said = {"column": pack.short(self.name, 80), "type": found, "missing": rows - self.filled}
        if found == "date":
            said |= {"min": self.least["date"], "max": self.greatest["date"]}
        elif found in ("integer", "number"):
            said |= {"min": pack.whole(self.least["number"]), "max": pack.whole(self.greatest["number"])}
        return said | {"examples": self.examples}


table = pack.Table(file)
shown = [table.column(name) for name in columns] if columns else table.columns[:COLUMNS_SHOWN]
described = [Column(name, table.cell(name)) for name in shown]
rows = of_another_width = 0
for row in table.rows:
    rows += 1
    if not table.is_json and len(row) != len(table.columns):
        of_another_width += 1
    if rows <= sample:
        for column in described:
            column.take(row)

looked_at = min(rows, sample)
result = {
    "file": table.file,
    "rows": rows,
    "rows_looked_at": looked_at,
    "columns": [column.told(looked_at) for column in described],
}
if len(table.columns) > len(shown):
    result["columns_not_shown"] = len(table.columns) - len(shown)
if of_another_width:
    result["rows_of_another_width"] = of_another_width
