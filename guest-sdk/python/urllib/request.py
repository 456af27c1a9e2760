"""`urllib.request` over the origins that the run was granted: `urlopen`, `Request` and `urlretrieve`.

    with urllib.request.urlopen("sentry:/api/0/organizations/demo/issues/?limit=5", timeout=10) as reply:
        rows = json.load(reply)

A URL is an absolute one under a granted origin, or `alias:/path?query`. The host checks every request, adds the
credential, follows redirects and checks certificates. What is not granted raises a `URLError` that is a
`CapabilityDenied` of `intentbox` as well, by which the host knows it when nobody catches it; what fails, one that is a
`HostCallFailed`. A status outside of 200 to 299 raises `HTTPError`, which can be read as the reply. Openers and
handlers are not available.
"""

import io
import os
from http import HTTPStatus
from urllib.error import ContentTooShortError, HTTPError, URLError
# The standard library's module has these, too, and scripts take them from here.
from urllib.parse import quote, unquote, unwrap, urljoin, urlparse, urlsplit

from intentbox import absent, exchange
from intentbox.errors import CapabilityDenied, HostCallFailed

__all__ = [
    "Request", "OpenerDirector", "BaseHandler", "HTTPDefaultErrorHandler", "HTTPRedirectHandler", "HTTPCookieProcessor",
    "ProxyHandler", "HTTPPasswordMgr", "HTTPPasswordMgrWithDefaultRealm", "HTTPPasswordMgrWithPriorAuth",
    "AbstractBasicAuthHandler", "HTTPBasicAuthHandler", "ProxyBasicAuthHandler", "AbstractDigestAuthHandler",
    "HTTPDigestAuthHandler", "ProxyDigestAuthHandler", "HTTPHandler", "FileHandler", "FTPHandler", "CacheFTPHandler",
    "DataHandler", "UnknownHandler", "HTTPErrorProcessor", "HTTPSHandler", "urlopen", "install_opener", "build_opener",
    "pathname2url", "url2pathname", "getproxies", "urlretrieve", "urlcleanup",
]  # fmt: skip

_UNVERIFIED = "certificates are always checked, by the host and against its roots: leave context out"
_BLOCK_BYTES = 8192


class _Refused(CapabilityDenied, URLError):
    """The run was not granted the request: a refusal for the host, a `URLError` for the script."""

    def __init__(self, message, hint=""):
        super().__init__(message, hint)
        self.reason = message

    __str__ = OSError.__str__


class _Failed(HostCallFailed, URLError):
    """A granted request did not work: a failed call for the host, a `URLError` for the script."""

    def __init__(self, kind, message):
        super().__init__(kind, message)
        self.reason = message

    __str__ = OSError.__str__


class _TimedOut(TimeoutError, _Failed):
    """A granted request took too long: a `TimeoutError`, too, and its `reason` is one, as scripts test both."""

    def __new__(cls, kind, message):
        return TimeoutError.__new__(cls, message)

    def __init__(self, kind, message):
        _Failed.__init__(self, kind, message)
        self.reason = TimeoutError(message)


class _Status(HostCallFailed, HTTPError):
    """A reply whose status says error: a failed call for the host, an `HTTPError` for the script."""

    def __new__(cls, response):
        return super().__new__(cls, "status", f"HTTP Error {response.status}: {response.reason}")

    def __init__(self, response):
        HTTPError.__init__(self, response.url, response.status, response.reason, response.headers, response)
        self.kind = "status"


for _named, _name in (
    (_Refused, "CapabilityDenied"), (_Failed, "URLError"), (_TimedOut, "TimeoutError"), (_Status, "HTTPError"),
):  # fmt: skip
    # Reports and tracebacks show what scripts catch.
    _named.__name__ = _named.__qualname__ = _name


def urlopen(url, data=None, timeout=None, *, context=None):
    """Opens a URL or a `Request` and returns the reply, a file of bytes.

    `data` is bytes, a file or an iterable of bytes; with it, the method is POST. `timeout` is in seconds and for the
    whole request.
    """
    if context is not None and (not context.check_hostname or not context.verify_mode):
        raise NotImplementedError(_UNVERIFIED)
    request = url if isinstance(url, Request) else Request(url)
    if data is not None:
        request.data = data
    return _opened(request, timeout if isinstance(timeout, (int, float)) else None)


def _opened(request, timeout):
    if request.type not in ("http", "https") and not _names_origin(request.full_url):
        instead = ": open(path) reads files of the scratch directory" if request.type == "file" else ""
        raise URLError(f"unknown url type: {request.type}{instead}")
    body = request.data
    if isinstance(body, str):
        raise TypeError("POST data should be bytes, an iterable of bytes, or a file object. It cannot be of type str.")
    if body is not None and not isinstance(body, (bytes, bytearray)):
        body = exchange.drained(body)
    if body is not None and not request.has_header("Content-type"):
        request.add_unredirected_header("Content-type", exchange.FORM)

    def failed(kind, message):
        return (_TimedOut if kind == "timeout" else _Failed)(kind, message)

    headers = {name: str(value) for name, value in request.header_items()}
    body = None if body is None else bytes(body)
    answer = exchange.send(request.get_method(), request.full_url, headers, body, timeout, _Refused, failed)
    response = _Response(*answer)
    if not 200 <= response.status < 300:
        raise _Status(response)
    return response


def _names_origin(url):
    """Whether it is `alias:/path`: one slash, where other schemes have two or none."""
    _, colon, rest = url.partition(":")
    return bool(colon) and rest.startswith("/") and not rest.startswith("//")


class Request:
    """A request: `full_url`, `data`, `headers`, `method`, and the parts of the URL."""

    def __init__(self, url, data=None, headers={}, origin_req_host=None, unverifiable=False, method=None):
        self.full_url = url
        self.headers, self.unredirected_hdrs = {}, {}
        self._data, self.timeout = None, None
        self.data = data
        for name, value in headers.items():
            self.add_header(name, value)
        self.origin_req_host = origin_req_host or request_host(self)
        self.unverifiable = unverifiable
        if method:
            self.method = method

    @property
    def full_url(self):
        """The URL as text, its fragment included."""
        return f"{self._full_url}#{self.fragment}" if self.fragment else self._full_url

    @full_url.setter
    def full_url(self, url):
        url, hash_mark, fragment = unwrap(url).partition("#")
        self._full_url, self.fragment = url, fragment if hash_mark else None
        scheme, colon, rest = url.partition(":")
        if not colon or "/" in scheme:
            raise ValueError(f"unknown url type: {url!r}")
        self.type, self.host, self.selector = scheme.lower(), None, rest
        if rest.startswith("//"):
            cut = min((at for at in (rest.find("/", 2), rest.find("?", 2)) if at >= 0), default=len(rest))
            self.host, selector = unquote(rest[2:cut]), rest[cut:]
            self.selector = "/" + selector if selector.startswith("?") else selector

    @property
    def data(self):
        """The body, or `None`."""
        return self._data

    @data.setter
    def data(self, data):
        if data != self._data:
            self._data = data
            # The body that it described is gone.
            self.remove_header("Content-length")

    @data.deleter
    def data(self):
        self.data = None

    def get_method(self):
        """Returns the method: what it was made with, else POST with a body and GET without."""
        return getattr(self, "method", "POST" if self.data is not None else "GET")

    def get_full_url(self):
        """Returns `full_url`."""
        return self.full_url

    def add_header(self, name, value):
        """Sets a header."""
        self.headers[name.capitalize()] = value

    def add_unredirected_header(self, name, value):
        """Sets a header; the host decides which ones go with a redirect."""
        self.unredirected_hdrs[name.capitalize()] = value

    def has_header(self, name):
        """Whether the header is set; names are written `Like-this`."""
        return name in self.headers or name in self.unredirected_hdrs

    def get_header(self, name, default=None):
        """Returns the value of a header, or `default`."""
        return self.headers.get(name, self.unredirected_hdrs.get(name, default))

    def remove_header(self, name):
        """Takes a header away."""
        self.headers.pop(name, None)
        self.unredirected_hdrs.pop(name, None)

    def header_items(self):
        """Returns the headers as a list of pairs."""
        return list((self.unredirected_hdrs | self.headers).items())

    def has_proxy(self):
        """Returns False."""
        return False

    def set_proxy(self, host, type):
        """Raises `NotImplementedError`."""
        absent.no_openers()


def request_host(request):
    """Returns the host of a request in lower case, without its port."""
    return (urlsplit(request.full_url).hostname or "").lower()


class _Headers:
    """The headers of a reply, looked up in any case and listed in their order; repeated ones stay apart."""

    def __init__(self, pairs):
        self._pairs = pairs

    def __getitem__(self, name):
        return self.get(name)

    def __contains__(self, name):
        return self.get(name) is not None

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self._pairs)

    def __str__(self):
        return "".join(f"{name}: {value}\n" for name, value in self._pairs) + "\n"

    as_string = __str__

    def get(self, name, default=None):
        """Returns the first value of the header, or `default`."""
        return (self.get_all(name) or [default])[0]

    def get_all(self, name, default=None):
        """Returns all values of the header as a list, or `default`."""
        name = name.lower()
        return [value for known, value in self._pairs if known.lower() == name] or default

    def keys(self):
        """Returns the names."""
        return [name for name, _ in self._pairs]

    def values(self):
        """Returns the values."""
        return [value for _, value in self._pairs]

    def items(self):
        """Returns the pairs."""
        return list(self._pairs)

    def get_content_type(self):
        """Returns the media type in lower case, `text/plain` where none is given."""
        media_type = self.get("content-type", "").split(";")[0].strip().lower()
        return media_type if media_type.count("/") == 1 else "text/plain"

    def get_content_maintype(self):
        """Returns the part of the media type before the slash."""
        return self.get_content_type().split("/")[0]

    def get_content_subtype(self):
        """Returns the part of the media type behind the slash."""
        return self.get_content_type().split("/")[1]

    def get_content_charset(self, failobj=None):
        """Returns the charset in lower case, or `failobj`."""
        charset = exchange.charset(self.get("content-type", ""))
        return charset.lower() if charset else failobj


class _Response(io.BytesIO):
    """The reply: a file of bytes with a status, headers and the URL that answered, in the script's own terms."""

    def __init__(self, status, url, headers, content):
        super().__init__(content)
        self.status = self.code = status
        self.url = url
        self.headers = self.msg = _Headers(headers)
        self.length = len(content)
        self.version = 11
        try:
            self.reason = HTTPStatus(status).phrase
        except ValueError:
            self.reason = ""

    def info(self):
        """Returns the headers."""
        return self.headers

    def getcode(self):
        """Returns the status code."""
        return self.status

    def geturl(self):
        """Returns the URL that answered, after redirects."""
        return self.url

    def getheader(self, name, default=None):
        """Returns the values of the header, joined with commas, or `default`."""
        values = self.headers.get_all(name)
        return ", ".join(values) if values else default

    def getheaders(self):
        """Returns the headers as a list of pairs."""
        return self.headers.items()


_retrieved = []


def urlretrieve(url, filename=None, reporthook=None, data=None):
    """Writes a reply into a file and returns `(filename, headers)`; without a name, into a new one below `/tmp`.

    `reporthook(block, block_size, size)` is called at the start and after each block.
    """
    with urlopen(url, data) as reply:
        if filename is None:
            import tempfile

            descriptor, filename = tempfile.mkstemp()
            _retrieved.append(filename)
            file = os.fdopen(descriptor, "wb")
        else:
            file = open(filename, "wb")
        with file:
            count = 0
            if reporthook:
                reporthook(count, _BLOCK_BYTES, reply.length)
            while block := reply.read(_BLOCK_BYTES):
                file.write(block)
                count += 1
                if reporthook:
                    reporthook(count, _BLOCK_BYTES, reply.length)
        return filename, reply.headers


def urlcleanup():
    """Removes the files that `urlretrieve` named itself."""
    while _retrieved:
        try:
            os.unlink(_retrieved.pop())
        except OSError:
            pass


def pathname2url(pathname, *, add_scheme=False):
    """Returns a path as the path of a URL, with `file:` before it when `add_scheme`."""
    if pathname.startswith("/"):
        pathname = "//" + pathname
    return ("file:" if add_scheme else "") + quote(pathname)


def url2pathname(url, *, require_scheme=False, resolve_host=False):
    """Returns the path of a URL as a path; with `require_scheme`, of one that starts with `file:`."""
    scheme, authority, path = urlsplit(url if require_scheme else "file:" + url)[:3]
    if scheme != "file":
        raise URLError("URL is missing a 'file:' scheme")
    if authority not in ("", "localhost"):
        raise URLError("file:// scheme is supported only on localhost")
    return unquote(path)


def getproxies():
    """Returns an empty dictionary."""
    return {}


def proxy_bypass(host):
    """Returns False."""
    return False


build_opener = install_opener = absent.no_openers


class OpenerDirector:
    """A class for annotations and `isinstance`; there are no instances."""

    def __init__(self, *arguments, **options):
        absent.no_openers()


class BaseHandler(OpenerDirector):
    """The same, for what a script derives from it."""


class HTTPPasswordMgr(OpenerDirector):
    """The same."""


HTTPPasswordMgrWithDefaultRealm = HTTPPasswordMgrWithPriorAuth = HTTPPasswordMgr
HTTPDefaultErrorHandler = HTTPRedirectHandler = HTTPCookieProcessor = HTTPErrorProcessor = BaseHandler
ProxyHandler = HTTPHandler = HTTPSHandler = FileHandler = FTPHandler = CacheFTPHandler = DataHandler = BaseHandler
AbstractBasicAuthHandler = HTTPBasicAuthHandler = ProxyBasicAuthHandler = UnknownHandler = BaseHandler
AbstractDigestAuthHandler = HTTPDigestAuthHandler = ProxyDigestAuthHandler = AbstractHTTPHandler = BaseHandler
