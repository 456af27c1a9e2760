# outcome: ok
# flags: --fuel 12000000000
# result: [[20001,0,[]],[40001,0,[]]]

# A gzip file may be of very many members, each a few bytes. Twice as many cost twice as much, and not four times.
import zlib

import _intentbox
from intentbox import logs

MEMBER = zlib.compress(b"", wbits=31)
content = b""

_intentbox.list_files = lambda folder: ("files", [("logs:many.log.gz", len(content), 0)], [])
_intentbox.read_file = lambda path, offset, length: ("piece", content[offset : offset + length])

result = []
for members in (20_000, 40_000):
    content = MEMBER * members + zlib.compress(b"ERROR at the end\n" * (members + 1), wbits=31)
    counts = logs.count("logs:")
    result.append([counts["error"], counts.seen["undated"], counts.seen["broken"]])
