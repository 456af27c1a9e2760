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
    "or_equals": None,
    "not_equals": None,
    "contains": None,
    "above": None,
    "below": None,
    "at_least": None,
    "at_most": None,
    "missing": None,
    "and_column": None,
    "and_equals": None,
    "and_contains": None,
    "and_above": None,
    "and_below": None,
    "and_at_least": None,
    "and_at_most": None,
    "third_column": None,
    "third_equals": None,
    "third_above": None,
    "third_below": None,
}
period = None
order = None
limit = None

path = pack.path(file)
if count is None and not by and not any(measures.values()):
    # In "average count" the column is a word that the question itself may hold, and is not read.
    numbers = pack.numbers(path)
    there = f"numbers are in {pack.names(numbers)}" if numbers else f"there are {pack.names(tables.columns(path))}"
    example = numbers[0] if numbers else "its name"
    raise Invalid(
        f"which column? {path.partition(':')[2]}: {there}; name one with sum, mean, median, percentile, max or min, or count=rows",
        hint=f'say it with the column, such as: sum of {example}; a name that is a word of the question is read in quotes: highest "id"',
    )

if limit is not None and not by:
    raise Invalid(
        "a limit counts groups, and this is one number over all rows; "
        "say what to group by, or use data/find_rows to see rows"
    )

with pack.asked():
    filters = pack.filters(path, where, period, date_column)
    if any(pack.is_calendar(path, name) for name in by or ()):
        date_column = pack.date_column(path, date_column)
    grouped = {"by": by, "date_column": date_column, "order": order, "limit": limit}
    result = tables.summarize(path, **measures, percent=percent, where=filters, **grouped)
    if not any(group["rows"] for group in result["groups"]):
        pack.tell_absent(path, filters)
    if "groups_not_shown" in result:
        pack.tell_groups(len(result["groups"]), result["groups_not_shown"])
if not result["columns"]:
    # Of a mere count there is nothing to name.
    del result["columns"]
