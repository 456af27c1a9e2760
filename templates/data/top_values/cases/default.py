"""Counts the values of a column and shows the most frequent ones."""

import pack
from intentbox import tables

file = 'sales.csv'
column = 'country'
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
limit = 10

path = pack.path(file)
with pack.asked():
    filters = pack.filters(path, where)
    result = tables.top(path, column, where=filters, limit=limit)
    if not result["rows"]:
        pack.tell_absent(path, filters)
    pack.tell_values(len(result["values"]), result.get("different_values"))
