"""Not available; the reason is in the error."""

from intentbox import absent

raise ImportError(absent.SQLITE, name="sqlite3")
