"""Finds rows of a file by the value of a column, or by a text anywhere: the first ones, and how many there are."""

import pack
from intentbox import tables

file = 'sales.csv'
where = {
    "column": None,
    "equals": None,
    "contains": None,
    "above": None,
    "below": None,
    "missing": None,
}
period = None
date_column = None
columns = None
limit = 5

path = pack.path(file)
with pack.asked():
    if period is None:
        result = tables.find(path, where=where, columns=columns, limit=limit)
    else:
        result = pack.find_within(path, period, date_column, where=where, columns=columns, limit=limit)
