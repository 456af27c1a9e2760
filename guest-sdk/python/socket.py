"""`socket` without sockets: the names that libraries import, and one error for whatever would use one."""

import _socket
from _socket import *

from intentbox import absent

# What the native module lacks and libraries name.
SO_REUSEPORT = 15
IPV6_V6ONLY = 26
TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT = 4, 5, 6
SOMAXCONN = 4096
EAI_NONAME, EAI_FAMILY, EAI_AGAIN = -2, -6, -3
MSG_WAITALL, MSG_DONTWAIT = 256, 64

error = OSError
timeout = TimeoutError
has_ipv6 = False
_GLOBAL_DEFAULT_TIMEOUT = object()


class socket:
    """A class for `isinstance`; there are no instances."""

    def __init__(self, *arguments, **options):
        absent.no_sockets()


SocketType = socket
socketpair = create_connection = create_server = fromfd = absent.no_sockets
getaddrinfo = gethostbyname = gethostbyname_ex = gethostbyaddr = getnameinfo = absent.no_sockets
getservbyname = getservbyport = getprotobyname = if_nameindex = absent.no_sockets


def gethostname():
    """Returns "sandbox"; the host's own name stays outside."""
    return "sandbox"


def getfqdn(name=""):
    """Returns `name` unless it is empty."""
    return name.strip() or "sandbox"


def has_dualstack_ipv6():
    """Returns False."""
    return False


def getdefaulttimeout():
    """Returns None: nothing here waits for a socket."""
    return None


def setdefaulttimeout(seconds):
    """Does nothing, for the same reason."""
