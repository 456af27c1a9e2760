# outcome: ok
# result: [["data:"],["data:b","data:b/c.csv"],["data:*/*.csv","data:**/x.csv","data:shut"]]

# A listing never looks whole when it is not: what the host did not look into is told on stderr and in `unread`, where
# the path or pattern could mean something inside. The host is played here, since a test may run as root, who reads all.
import contextlib
import io

import _intentbox

_intentbox.list_files = lambda folder: ("files", [("data:a.csv", 1, 0), ("data:b/c.csv", 1, 0)], ["data:shut", "data:b/d"])


def told(path):
    with contextlib.redirect_stderr(io.StringIO()) as stderr:
        found = files.list(path)
    assert stderr.getvalue() == (f"files.list: not read: {', '.join(found.unread)}\n" if found.unread else "")
    return found.unread


result = [
    [path for path in ["data:", "data:a.csv", "data:*.csv"] if told(path) == ["data:shut", "data:b/d"]],
    [path for path in ["data:b", "data:b/c.csv"] if told(path) in (["data:b/d"], [])],
    [path for path in ["data:*/*.csv", "data:**/x.csv", "data:shut", "data:a.csv"] if "data:shut" in told(path)],
]
