"""Lists the log files of the directory, with their size and the time of their last change."""

import sys
from datetime import datetime, timezone

import pack
from intentbox import logs

folder = None
order = 'modified'
limit = 20

with pack.asked(folder):
    found = logs.files(pack.paths(folder))

# By name where two are equal: the listing is sorted by path, and sorting is stable.
if order == "modified":
    found = sorted(found, key=lambda entry: -entry["modified"])
elif order == "size":
    found = sorted(found, key=lambda entry: -entry["bytes"])
if len(found) > limit:
    print(f"{limit} of {len(found)} files ({pack.limits(len(found), 200)})", file=sys.stderr)

result = [
    {
        "file": pack.file(entry["path"]),
        "bytes": entry["bytes"],
        "modified": datetime.fromtimestamp(entry["modified"], timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    for entry in found[:limit]
]
