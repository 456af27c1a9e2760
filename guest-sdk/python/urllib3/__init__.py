"""Not available; the reason is in the error."""

from intentbox import absent

raise ModuleNotFoundError(absent.URLLIB3, name="urllib3")
