"""Describes one file: its columns with types, missing values, least and greatest value, and examples."""

import pack
from intentbox import tables

file = '\"); import os; (\'\'\'\x7b\x7b 7*7 \x7d\x7d.csv'
columns = None
sample = 20000

with pack.asked():
    result = tables.describe(pack.path(file), columns=columns, sample=sample)
