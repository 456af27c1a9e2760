"""Describes one file: its columns with types, missing values, least and greatest value, and examples."""

import pack
from intentbox import tables

file = 'Orders.jsonl'
columns = ['Customer.Name', 'id']
sample = 2

with pack.asked():
    result = tables.describe(pack.path(file), columns=columns, sample=sample)
