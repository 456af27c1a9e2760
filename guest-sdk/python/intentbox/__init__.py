"""What a script finds inside the sandbox besides Python itself.

`http` reaches the origins that the run was granted; it is also bound as a global, so a script needs no import.
`CapabilityDenied` and `HostCallFailed` are what it raises. A script raises `NotFound` and `Invalid` itself, to end with one
line about the request. Everything here is plain Python over one host function; there is no bridge object to climb out
through.
"""

from intentbox import http
from intentbox.errors import CapabilityDenied, HostCallFailed, HttpStatusError, Invalid, NotFound

__all__ = ["CapabilityDenied", "HostCallFailed", "HttpStatusError", "Invalid", "NotFound", "http"]
