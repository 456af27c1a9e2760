"""Credentials of the script's own, as headers.

The credential of a granted origin belongs to the host, which adds it. The host refuses `Authorization` from scripts and
says so; another header that an `AuthBase` of the script's sets is sent where a rule of the run names it.
"""

import base64

__all__ = ["AuthBase", "HTTPBasicAuth", "HTTPDigestAuth", "HTTPProxyAuth"]


def basic(username, password):
    """Returns the value of an `Authorization` header."""
    halves = [half.encode("latin-1") if isinstance(half, str) else half for half in (username, password)]
    return "Basic " + base64.b64encode(b":".join(halves)).decode()


class AuthBase:
    """What `auth` may be: called with the `PreparedRequest`, returns it with what it adds."""

    def __call__(self, request):
        raise NotImplementedError("Auth hooks must be callable.")


class HTTPBasicAuth(AuthBase):
    """A user's name and password; what a tuple of the two becomes."""

    def __init__(self, username, password):
        self.username, self.password = username, password

    def __eq__(self, other):
        mine = self.username, self.password
        return mine == (getattr(other, "username", None), getattr(other, "password", None))

    def __call__(self, request):
        request.headers["Authorization"] = basic(self.username, self.password)
        return request


class HTTPDigestAuth(AuthBase):
    """Not available."""

    def __init__(self, *arguments, **options):
        raise NotImplementedError(
            "digest authentication is not available in the sandbox: the host adds the credential of a granted origin"
        )


class HTTPProxyAuth(AuthBase):
    """Not available."""

    def __init__(self, *arguments, **options):
        raise NotImplementedError("proxies are not available in the sandbox: the host opens connections itself")
