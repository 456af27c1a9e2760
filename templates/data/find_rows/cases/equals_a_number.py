"""Finds rows of a file by the value of a column, or by a text anywhere: the first ones, and how many there are."""

import pack
from intentbox import tables

file = 'sales.csv'
where = {
    "column": 'rate',
    "equals": '12',
    "contains": None,
    "above": None,
    "below": None,
    "missing": None,
}
columns = None
limit = 5

with pack.asked():
    result = tables.find(pack.path(file), where=where, columns=columns, limit=limit)
