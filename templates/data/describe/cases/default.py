"""Describes one file: its columns with types, missing values, least and greatest value, and examples."""

import pack
from intentbox import tables

file = 'sales.csv'
columns = None
sample = None

# Up to this size all rows are looked at, which takes some three seconds; packed, a tenth of it. Of larger files those
# rows are that one of this size may have.
BYTES_MAX = 64 << 20
ROWS_OF_LARGE_FILES = 1_000_000

path = pack.path(file)
if sample is None:
    size = files.list(path)[0]["bytes"] * (10 if path.lower().endswith(".gz") else 1)
    sample = ROWS_OF_LARGE_FILES if size > BYTES_MAX else 1 << 60

with pack.asked():
    described = tables.describe(path, columns=columns, sample=sample)

rows, looked_at = described["rows"], described["rows_looked_at"]
result = {}
for name, value in described.items():
    result[name] = value
    if name == "rows_looked_at" and looked_at < rows:
        result["sampled"] = f"types, missing, min, max and examples are of the first {looked_at:,} of {rows:,} rows"
