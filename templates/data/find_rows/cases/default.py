"""Finds rows of a file by the values of columns, or by a text anywhere: the first ones, and how many there are."""

import sys

import pack
from intentbox import Invalid, tables

file = 'sales.csv'
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
date_column = None
columns = None
order_by = None
order = None
last = None
limit = 10

if order is not None and order_by is None:
    raise Invalid("order says which rows come first, and order_by the column that it is about: name that too")

if last and order_by is not None:
    raise Invalid("last is about the order of the file: leave it out with order_by, and say order instead")

path = pack.path(file)
with pack.asked():
    filters = pack.filters(path, where, period, date_column)
    result = tables.find(path, where=filters, columns=columns, limit=limit, order_by=order_by, order=order, last=bool(last))
    if not result["matching"]:
        pack.tell_absent(path, filters)
    if last:
        print("the last rows of the file, in its order", file=sys.stderr)
    if result["more"]:
        pack.tell_more(len(result["rows"]), result["matching"])
