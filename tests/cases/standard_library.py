# outcome: ok
# result: {"mean":2,"hash":"2cf24dba","words":["a","b"]}
import hashlib
import re
import statistics

{
    "mean": statistics.mean([1, 2, 3]),
    "hash": hashlib.sha256(b"hello").hexdigest()[:8],
    "words": re.findall(r"\w", "a b"),
}
