"""A request as it is sent, and the reply to it."""

import codecs
import io
import json as _json
import re
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

import _intentbox
from intentbox import exchange
from requests import exceptions
from requests.auth import HTTPBasicAuth
from requests.cookies import RequestsCookieJar
from requests.structures import CaseInsensitiveDict
from requests.utils import requote_uri

__all__ = ["PreparedRequest", "Response"]

# A URL in the terms of the configuration, `alias:/path?query`.
_ALIAS = re.compile("[a-z][a-z0-9_-]*:/(?!/)")
_REDIRECTS = (301, 302, 303, 307, 308)


class PreparedRequest:
    """A request as it is sent: `method`, `url`, `headers`, `body` (str, bytes or `None`) and `hooks`.

    The host adds headers of its own, the credential of the origin among them, which a script does not see.
    """

    def __init__(self, method, url, params=None, headers=None, json=None, data=None, auth=None, hooks=None):
        self.method = str(method).upper()
        self.url = _url(url, params)
        self.headers = _headers(headers or {})
        self.body = self._body(json, data)
        self.hooks = hooks or {"response": []}
        if isinstance(auth, tuple) and len(auth) == 2:
            auth = HTTPBasicAuth(*auth)
        if auth:
            # It may return another request; what is in that one is sent.
            vars(self).update(vars(auth(self)))

    def __repr__(self):
        return f"<PreparedRequest [{self.method}]>"

    @property
    def path_url(self):
        """The path and query of `url`."""
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def _body(self, json, data):
        content_type = None
        if data:
            if isinstance(data, (str, bytes)):
                return data
            if hasattr(data, "read") or not isinstance(data, (list, tuple, Mapping, bytearray)):
                return exchange.drained(data)
            body, content_type = exchange.encoded(None, data)
            # A form is text to whoever looks at the request.
            body = body.decode() if content_type else body
        elif json is not None:
            try:
                body, content_type = exchange.encoded(json, None, allow_nan=False)
            except ValueError as error:
                raise exceptions.InvalidJSONError(error, request=self) from None
        else:
            return None
        if content_type:
            self.headers.setdefault("Content-Type", content_type)
        return body


def _url(url, params):
    url = url.decode() if isinstance(url, bytes) else str(url)
    url = url.lstrip()
    scheme, colon, rest = url.partition(":")
    if not _ALIAS.match(url) or scheme.lower() in ("http", "https"):
        if not colon or not re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*", scheme):
            message = f"Invalid URL {url!r}: No scheme supplied. Perhaps you meant https://{url}?"
            raise exceptions.MissingSchema(message)
        if scheme.lower() not in ("http", "https"):
            message = f"No connection adapters were found for {url!r}: a URL is https://host/path or alias:/path"
            raise exceptions.InvalidSchema(message)
        host = re.split("[/?#]", rest[2:], maxsplit=1)[0] if rest.startswith("//") else ""
        if not host.rpartition("@")[2].partition(":")[0]:
            raise exceptions.InvalidURL(f"Invalid URL {url!r}: No host supplied")
        # Neither of the two has a case, and a path starts with a slash.
        path = rest[2 + len(host) :]
        url = f"{scheme.lower()}://{host.lower()}{'' if path.startswith('/') else '/'}{path}"
    return exchange.with_query(requote_uri(url), _query(params))


def _query(params):
    if isinstance(params, bytes):
        params = params.decode()
    return requote_uri("?" + params)[1:] if isinstance(params, str) else exchange.form(params or ())


def _headers(headers):
    checked = CaseInsensitiveDict()
    for name, value in headers.items():
        for part in (name, value):
            if not isinstance(part, (str, bytes)):
                message = f"Header part ({part!r}) from ({name!r}, {value!r}) must be of type str or bytes, "
                raise exceptions.InvalidHeader(f"{message}not {type(part)}")
        name, value = (part.decode("latin-1") if isinstance(part, bytes) else part for part in (name, value))
        for part, pattern in ((name, r"[^:\s][^:\r\n]*"), (value, r"(\S[^\r\n]*)?")):
            if not re.fullmatch(pattern, part):
                what = "leading whitespace, reserved character(s), or return character(s)"
                raise exceptions.InvalidHeader(f"Invalid {what} in header {part!r}")
        checked[name] = value
    return checked


class Response:
    """The reply to a request.

    The body is there as a whole, decompressed, and bounded by the host: `stream` changes nothing, and every way of
    reading it can be used again. `url` is in the script's own terms (`alias:/path?query`), after redirects, which the
    host follows without telling where they led; `history` is empty. Header names are in lower case.
    """

    def __init__(self):
        self.status_code = None
        self.url = None
        self.headers = CaseInsensitiveDict()
        self.request = None
        self.elapsed = None
        self.history = []
        self.cookies = RequestsCookieJar()
        self.reason = None
        # The charset that the reply names, else UTF-8. It can be set.
        self.encoding = None
        # A file over the body, made when it is asked for; tests set both of these to make a reply by hand.
        self._content = b""
        self._raw = None

    @classmethod
    def of(cls, request, answer, elapsed):
        """Returns the reply of the host, `(status, url, headers, content)`, to `request`."""
        response = cls()
        response.request, response.elapsed = request, elapsed
        response.status_code, response.url, headers, response._content = answer
        for name, value in headers:
            known = response.headers.get(name)
            response.headers[name] = value if known is None else f"{known}, {value}"
        response.encoding = exchange.charset(response.headers.get("content-type", "")) or "utf-8"
        try:
            response.reason = HTTPStatus(response.status_code).phrase
        except ValueError:
            response.reason = ""
        return response

    def __repr__(self):
        return f"<Response [{self.status_code}]>"

    def __bool__(self):
        return self.ok

    def __iter__(self):
        return self.iter_content(128)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    @property
    def status(self):
        """`status_code`, under the name that `http` has for it."""
        return self.status_code

    @property
    def ok(self):
        """Whether the status is below 400."""
        return not 400 <= self.status_code < 600

    @property
    def content(self):
        """The body as bytes."""
        return self._content

    @property
    def raw(self):
        """The body as a binary file."""
        if self._raw is None:
            self._raw = io.BytesIO(self.content)
        return self._raw

    @raw.setter
    def raw(self, file):
        self._raw = file

    @property
    def text(self):
        """The body as text in `encoding`; broken bytes become U+FFFD."""
        return exchange.text(self.content, self.encoding or self.apparent_encoding)

    @property
    def apparent_encoding(self):
        """What the body itself looks like: `ascii`, `utf-8`, a Unicode encoding with its mark, or `ISO-8859-1`."""
        for mark, name in (
            (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF8, "utf-8-sig"),
            (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
        ):  # fmt: skip
            if self.content.startswith(mark):
                return name
        if self.content.isascii():
            return "ascii"
        try:
            self.content.decode()
        except UnicodeDecodeError:
            return "ISO-8859-1"
        return "utf-8"

    def json(self, **options):
        """Returns the body parsed as JSON; `options` are those of `json.loads`. Raises `JSONDecodeError`."""
        encoding = _json.detect_encoding(self.content)
        try:
            if not options and encoding == "utf-8" and self.apparent_encoding in ("ascii", "utf-8"):
                return _intentbox.loads(self.content)
            try:
                text = self.content.decode(encoding)
            except UnicodeDecodeError:
                text = self.text
            return _json.loads(text, **options)
        except _json.JSONDecodeError as error:
            where = error.msg, error.doc, error.pos
        # Outside of the handler, so that a traceback shows one error and not two.
        raise exceptions.JSONDecodeError(*where)

    @property
    def links(self):
        """The `Link` header: relation → `{"url": …, "rel": …, and its other parameters}`."""
        links = exchange.links(self.headers.get("link", ""))
        return {link.get("rel") or link["url"]: link for link in links}

    @property
    def is_redirect(self):
        """Whether the reply is a redirect that the host could have followed: it follows those that name a location."""
        return "location" in self.headers and self.status_code in _REDIRECTS

    @property
    def is_permanent_redirect(self):
        """Whether it is one that says for good."""
        return "location" in self.headers and self.status_code in (301, 308)

    @property
    def next(self):
        """`None`: the host has followed."""
        return None

    def raise_for_status(self):
        """Raises `HTTPError` when the status is 400 or more."""
        if not self.ok:
            whose = "Client" if self.status_code < 500 else "Server"
            message = f"{self.status_code} {whose} Error: {self.reason} for url: {self.url}"
            raise exceptions.error_status(self, message)

    def iter_content(self, chunk_size=1, decode_unicode=False):
        """Gives the body in pieces of `chunk_size` bytes (`None`: in one), as text with `decode_unicode`."""
        if chunk_size is not None and not isinstance(chunk_size, int):
            raise TypeError(f"chunk_size must be an int, it is instead a {type(chunk_size)}.")
        pieces = self._pieces(chunk_size if chunk_size and chunk_size > 0 else max(1, len(self.content)))
        return self._decoded(pieces) if decode_unicode and self.encoding else pieces

    def _pieces(self, size):
        for start in range(0, len(self.content), size):
            yield self.content[start : start + size]

    def _decoded(self, pieces):
        decoder = codecs.getincrementaldecoder(self.encoding)(errors="replace")
        for piece in pieces:
            if text := decoder.decode(piece):
                yield text
        if text := decoder.decode(b"", final=True):
            yield text

    def iter_lines(self, chunk_size=512, decode_unicode=False, delimiter=None):
        """Gives the lines of the body without their ends, or its parts between `delimiter`s."""
        for whole in self.iter_content(None, decode_unicode):
            yield from whole.split(delimiter) if delimiter else whole.splitlines()

    def close(self):
        """Does nothing: there is no connection."""
