"""What a script finds inside the sandbox besides Python itself.

`http` reaches the origins that the run was granted; it is also bound as a global, so a script needs no import.
`CapabilityDenied` and `HostCallFailed` are what it raises. Everything here is plain Python over one host function;
there is no bridge object to climb out through.
"""

from intentbox import http
from intentbox.errors import CapabilityDenied, HostCallFailed, HttpStatusError

__all__ = ["CapabilityDenied", "HostCallFailed", "HttpStatusError", "http"]
