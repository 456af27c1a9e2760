"""Describes one file: its columns with types, missing values, least and greatest value, and examples."""

import pack
from intentbox import tables

file = 'odd.csv'
columns = None
sample = 20000

with pack.asked():
    result = tables.describe(pack.path(file), columns=columns, sample=sample)
