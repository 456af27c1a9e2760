"""Counts the values of a column and shows the most frequent ones."""

import pack
from intentbox import tables

file = 'sales.csv'
column = 'country'
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
limit = 10

path = pack.path(file)
with pack.asked():
    also = {"column": and_column, "equals": and_equals, "contains": and_contains, "above": and_above, "below": and_below}
    filters = pack.filters(path, where, also)
    result = tables.top(path, column, where=filters, limit=limit)
    if not result["rows"]:
        pack.tell_absent(path, filters)
