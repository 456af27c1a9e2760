"""Finds rows of a file by the value of a column, or by a text anywhere: the first ones, and how many there are."""

import pack
from intentbox import tables

file = 'sales.csv'
where = {
    "column": 'amount',
    "equals": '4.5',
    "contains": '4',
    "above": '2',
    "below": '10.5',
    "missing": False,
}
columns = ['amount', 'id']
limit = 1

with pack.asked():
    result = tables.find(pack.path(file), where=where, columns=columns, limit=limit)
