"""Counts the rows of a file, or adds up a column: sum, mean, median, percentile, least and greatest value, in all or in groups."""

import pack
from intentbox import Invalid, tables

file = 'sales.csv'
measures = {
    "sum": None,
    "mean": None,
    "median": None,
    "percentile": None,
    "min": None,
    "max": None,
}
percent = None
count = 'rows'
by = None
date_column = None
where = {
    "column": None,
    "equals": None,
    "contains": None,
    "above": None,
    "below": None,
    "missing": None,
}
and_column = None
and_equals = None
and_contains = None
and_above = None
and_below = None
period = None
order = None
limit = None

path = pack.path(file)
if count is None and not any(measures.values()):
    # In "average count" the column is a word that the question itself may hold, and is not read.
    there = f"{path.partition(':')[2]} has {pack.names(tables.columns(path))}"
    raise Invalid(
        f"which column? {there}; name one with sum, mean, median, percentile, max or min, or count=rows; "
        'a name that is a word of the question is read in quotes: highest "id"'
    )

if limit is not None and not by:
    raise Invalid(
        "a limit counts groups, and this is one number over all rows; "
        "say what to group by, or use data/find_rows to see rows"
    )

with pack.asked():
    also = {"column": and_column, "equals": and_equals, "contains": and_contains, "above": and_above, "below": and_below}
    filters = pack.filters(path, where, also, period, date_column)
    grouped = {"by": by, "date_column": date_column, "order": order, "limit": limit}
    result = tables.summarize(path, **measures, percent=percent, where=filters, **grouped)
    if not any(group["rows"] for group in result["groups"]):
        pack.tell_absent(path, filters)
if not result["columns"]:
    # Of a mere count there is nothing to name.
    del result["columns"]
