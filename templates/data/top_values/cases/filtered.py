"""Counts the values of a column and shows the most frequent ones."""

import pack
from intentbox import tables

file = 'sales.csv'
column = 'country'
where = {
    "column": 'amount',
    "equals": None,
    "contains": None,
    "above": '3',
    "below": None,
    "missing": None,
}
limit = 10

with pack.asked():
    result = tables.top(pack.path(file), column, where=where, limit=limit)
