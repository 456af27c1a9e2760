"""The exceptions of this package.

What the host reports is raised as a class of two parents, and under the name of the second: a refusal is a
`CapabilityDenied` of `intentbox` and a `ConnectionError` of this package, a timeout a `HostCallFailed` and a
`ReadTimeout`. A script written for `requests` catches it by the second parent. When nobody catches it, the host knows
the first, and the run is reported as it would be for `http`: as denied, or as a failed call. The exceptions that come
from the script's own arguments have one parent, since no call was made.
"""

import json

from intentbox.errors import CapabilityDenied as _Denied
from intentbox.errors import HostCallFailed as _CallFailed


class RequestException(IOError):
    """The base of all of them. `request` is the `PreparedRequest` and `response` the `Response`, where there is one."""

    # A class of two parents may not come through `__init__` below.
    request = response = None

    def __init__(self, *arguments, response=None, request=None):
        super().__init__(*arguments)
        self.response = response
        self.request = request if request is not None else getattr(response, "request", None)


class InvalidJSONError(RequestException):
    """What was to be sent, or what was received, is not JSON."""


class JSONDecodeError(InvalidJSONError, json.JSONDecodeError):
    """The body of a reply is not JSON: a `json.JSONDecodeError` as well, with its `msg`, `doc` and `pos`."""

    # `OSError` takes a second argument for the text of an error number: only the message may reach it.
    def __new__(cls, message, document, position):
        return super().__new__(cls, message)

    def __init__(self, message, document, position):
        json.JSONDecodeError.__init__(self, message, document, position)

    __str__ = ValueError.__str__


class HTTPError(RequestException):
    """A reply whose status says error, raised by `Response.raise_for_status`."""


class ConnectionError(RequestException):
    """There is no reply: refused, not reachable, or broken off."""


class ProxyError(ConnectionError):
    """Never raised here: there are no proxies."""


class SSLError(ConnectionError):
    """The server's TLS is not what the host accepts."""


class Timeout(RequestException):
    """The request took longer than its `timeout`, or than the host's own."""


class ConnectTimeout(ConnectionError, Timeout):
    """Never raised here: the host's timeout is for the whole request, so that repeating it may do things twice."""


class ReadTimeout(Timeout):
    """What a `Timeout` is raised as: the server may have seen the request."""


class URLRequired(RequestException):
    """There is no URL."""


class TooManyRedirects(RequestException):
    """The host followed redirects as often as it does, or met one that leads nowhere."""


class MissingSchema(RequestException, ValueError):
    """The URL has neither `http://`, `https://` nor an alias."""


class InvalidSchema(RequestException, ValueError):
    """The URL's scheme is none that can be sent."""


class InvalidURL(RequestException, ValueError):
    """The URL names no host, or is none."""


class InvalidHeader(RequestException, ValueError):
    """A header that cannot be sent, or is not for scripts to set."""


class InvalidProxyURL(InvalidURL):
    """Never raised here: there are no proxies."""


class ChunkedEncodingError(RequestException):
    """Never raised here: a body that breaks off is a `ConnectionError`."""


class ContentDecodingError(RequestException):
    """Never raised here: the host decompresses, and says `ConnectionError` when it cannot."""


class StreamConsumedError(RequestException, TypeError):
    """Never raised here: a body is there as a whole and can be read again."""


class RetryError(RequestException):
    """Never raised here: nothing is repeated."""


class UnrewindableBodyError(RequestException):
    """Never raised here: a body is read once, ahead of the request."""


class RequestsWarning(Warning):
    """The base of warnings."""


class FileModeWarning(RequestsWarning, DeprecationWarning):
    """Never given here."""


class RequestsDependencyWarning(RequestsWarning):
    """Never given here."""


def _of_host(parent, public):
    return type(public.__name__, (parent, public), {"__module__": __name__, "__doc__": public.__doc__})


_Refused = type("CapabilityDenied", (_Denied, ConnectionError), {"__module__": __name__, "__doc__": _Denied.__doc__})
_Failed = _of_host(_CallFailed, ConnectionError)
_Status = _of_host(_CallFailed, HTTPError)
_FAILED = {
    "timeout": _of_host(_CallFailed, ReadTimeout),
    "redirect": _of_host(_CallFailed, TooManyRedirects),
    "tls": _of_host(_CallFailed, SSLError),
    "header_invalid": _of_host(_CallFailed, InvalidHeader),
}


def refused(request, message, hint):
    """Returns the exception for a request that was not granted."""
    error = _Refused(message, hint)
    error.request = request
    return error


def failed(request, kind, message):
    """Returns the exception for a granted request that did not work; `kind` is the host's word for it."""
    if kind == "header_invalid" and "authorization" in request.headers:
        message += ": the host adds the credential of the origin, so leave out auth and Authorization"
    error = _FAILED.get(kind, _Failed)(kind, message)
    error.request = request
    return error


def error_status(response, message):
    """Returns the exception for a reply whose status says error."""
    error = _Status("status", message)
    error.request, error.response = response.request, response
    return error
