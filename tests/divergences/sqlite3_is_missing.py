# cpython: "(2,)\n"
# intentbox: "ImportError sqlite3 is not available in the sandbox: keep rows in lists and dictionaries; json, csv and shelve store them\n"
try:
    import sqlite3
    print(sqlite3.connect(":memory:").execute("select 1 + 1").fetchone())
except ImportError as error:
    print(type(error).__name__, error)
