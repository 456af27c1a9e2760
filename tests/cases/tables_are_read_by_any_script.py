# outcome: ok
# result: [["id","sold","country","amount"],[{"group":"Norway","group_2":"2026-01","rows":2,"sum":1300.3},{"group":"Sweden","group_2":"2026-02","rows":1,"sum":0.1}],{"rows":[{"id":"2"}],"matching":1,"more":false},{"value":"Norway","rows":2},"date","sales.csv has no column amuont; did you mean amount? (it has id, sold, country, amount)","broken.csv.gz: this is no sound gzip file","sales.txt: the name does not end in .csv, .tsv, .tab, .json, .jsonl or .ndjson","FileNotFoundError",9]

# A table is read once and in pieces, and what is wrong with it is one sentence. The host's answers are played here.
import zlib
from datetime import date

import _intentbox
from intentbox import tables

SALES = b'id,sold,country,amount\n1,2026-01-05,Norway,"1,299.99"\n2,2026-02-07,Sweden,.1\n3,2026-01-31,Norway,.31\n'
FILES = {
    "data:sales.csv": SALES,
    "data:sales.csv.gz": zlib.compress(SALES, wbits=31),
    "data:broken.csv.gz": b"no gzip",
}


def read_file(path, offset, length):
    if path not in FILES:
        return ("failed", "not_found", path)
    return ("piece", FILES[path][offset : offset + length])


_intentbox.read_file = read_file


def message(ask):
    try:
        ask()
    except ValueError as error:
        return str(error).partition(" (")[0] if "gzip" in str(error) else str(error)
    except FileNotFoundError as error:
        return type(error).__name__


result = [
    tables.columns("data:sales.csv"),
    tables.summarize("data:sales.csv.gz", sum="amount", by=["country", "month"])["groups"],
    tables.find("data:sales.csv", where={"column": "sold", "above": date(2026, 1, 31)}, columns=["id"]),
    tables.top("data:sales.csv", "country", where=("amount", "above", 0.2))["values"][0],
    tables.describe("data:sales.csv")["columns"][1]["type"],
    message(lambda: tables.summarize("data:sales.csv", sum="amuont")),
    message(lambda: tables.columns("data:broken.csv.gz")),
    message(lambda: tables.columns("data:sales.txt")),
    message(lambda: tables.columns("data:gone.csv")),
]

# A scan that failed is closed: more of them than may be open at a time.
for _ in range(9):
    message(lambda: tables.columns("data:broken.csv.gz"))
result.append(sum(message(lambda: tables.top("data:sales.csv", "x")) is not None for _ in range(9)))
