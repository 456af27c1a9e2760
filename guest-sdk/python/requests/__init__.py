"""`requests` over the origins that the run was granted.

    response = requests.get("sentry:/api/0/organizations/demo/issues/", params={"limit": 5}, timeout=10)
    response.raise_for_status()
    rows = response.json()

It has the functions, `Session`, `Response` and exceptions of the library of that name, written anew over the one way
out that `http` has. A URL is an absolute one under a granted origin, or `alias:/path?query`. The host checks every
request against the grant, adds the credential, follows redirects, decompresses and bounds the reply.

What the host does not do raises `NotImplementedError` with a sentence that names another way: `verify=False`, `cert`,
`proxies`, `files`, `cookies`, `allow_redirects=False`, adapters. `Request` and `prepare` are not here.
"""

from requests import exceptions
from requests.api import delete, get, head, options, patch, post, put, request
from requests.exceptions import (
    ConnectionError,
    ConnectTimeout,
    FileModeWarning,
    HTTPError,
    JSONDecodeError,
    ReadTimeout,
    RequestException,
    Timeout,
    TooManyRedirects,
    URLRequired,
)
from requests.models import PreparedRequest, Response
from requests.sessions import Session, session
from requests.status_codes import codes

__all__ = [
    "ConnectTimeout", "ConnectionError", "FileModeWarning", "HTTPError", "JSONDecodeError", "PreparedRequest",
    "ReadTimeout", "RequestException", "Response", "Session", "Timeout", "TooManyRedirects", "URLRequired", "codes",
    "delete", "exceptions", "get", "head", "options", "patch", "post", "put", "request", "session",
]  # fmt: skip


def __getattr__(name):
    why = ""
    if name == "packages":
        from intentbox import absent

        why = f": {absent.URLLIB3}"
    elif name == "Request":
        why = ": a request is not prepared by hand here; use requests.request(method, url) or Session.request"
    raise AttributeError(f"module 'requests' has no attribute {name!r}{why}")
