"""Names the columns of a data file and the texts in them, as people may say them."""

from intentbox import tables

file = 'sales.csv'

# Texts of each column, and all rows of the answer: more are not names that people know by heart.
TEXTS_MAX = 1000
ROWS_MAX = 5000

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


columns = tables.vocabulary(f"data:{file}", texts=TEXTS_MAX)
result = [{"column": column["column"], "role": role(column)} for column in columns]
names = {column["column"].lower() for column in columns}
# Groups by month need a date, and no column of that name.
if "month" not in names and any(row["role"] == "date" for row in result):
    result.append({"column": "month", "role": "month"})
# Columns with few different texts first: those are said most.
for column in sorted(columns, key=lambda column: len(column["texts"])):
    room = ROWS_MAX - len(result)
    result.extend({"value": text, "of": column["column"]} for text in column["texts"][:room])
