"""Names the columns of a data file."""

from intentbox import tables

file = 'sales.csv'

result = [{"column": column} for column in tables.columns(f"data:{file}")]
