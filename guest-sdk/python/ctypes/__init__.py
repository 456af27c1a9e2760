"""Not available; the reason is in the error."""

from intentbox import absent

raise ImportError(absent.CTYPES, name="ctypes")
