"""Counts the values of a column and shows the most frequent ones."""

import pack
from intentbox import tables

file = 'orders.jsonl'
column = 'Status'
where = {
    "column": 'id',
    "equals": '2',
    "contains": '2',
    "above": '1',
    "below": '3',
    "missing": False,
}
limit = 1

with pack.asked():
    result = tables.top(pack.path(file), column, where=where, limit=limit)
