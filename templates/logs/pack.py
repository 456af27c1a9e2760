"""What is missing from an answer about logs."""

import sys

# So many names of files say which ones are meant.
NAMES_SHOWN = 3


def tell(seen):
    """Tells on stderr what an answer with this `seen` does not hold: no answer looks whole when it is not."""
    broken = sorted(seen["broken"])
    if broken:
        more = f" and {len(broken) - NAMES_SHOWN} more" if len(broken) > NAMES_SHOWN else ""
        names = ", ".join(path[:100] for path in broken[:NAMES_SHOWN])
        print(f"not read to the end: {names}{more}", file=sys.stderr)
    if seen["undated"]:
        print(f"records left out, without a time: {seen['undated']}", file=sys.stderr)
