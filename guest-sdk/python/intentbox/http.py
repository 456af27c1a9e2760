"""HTTP to the origins that the run was granted.

    response = http.get("sentry:/api/0/organizations/demo/issues/", params={"limit": 5})
    response.raise_for_status()
    rows = response.json()

A URL is `alias:/path?query`, where the alias names an origin of the configuration, or an absolute URL that lies under a
granted origin. The base URL and the credential belong to the host: it adds them after it has checked the request, and
the script never sees them. Redirects inside the origin are followed by the host.

Units: timeouts are seconds, sizes are bytes. What is not granted raises `CapabilityDenied`; what is granted and does not
work raises `HostCallFailed`. A reply with an error status is a reply: see `Response.raise_for_status`.
"""

import _intentbox
from intentbox import exchange as _exchange
from intentbox.errors import HttpStatusError

__all__ = ["Response", "delete", "get", "head", "patch", "post", "put", "request"]


class Headers(dict):
    """Reply headers: names in lower case, looked up in any case; repeated ones joined with a comma."""

    def __init__(self, pairs):
        super().__init__()
        for name, value in pairs:
            known = dict.get(self, name)
            self[name] = value if known is None else known + ", " + value

    def __getitem__(self, name):
        return super().__getitem__(name.lower())

    def __contains__(self, name):
        return super().__contains__(name.lower())

    def get(self, name, default=None):
        """Returns the value of the header `name`, or `default`."""
        return super().get(name.lower(), default)


class Response:
    """The reply to a request.

    `status` is the status code, `url` the URL in the script's own terms, `headers` a `Headers`, `content` the body as
    bytes, decompressed.
    """

    def __init__(self, status, url, headers, content):
        self.status = status
        self.url = url
        self.headers = Headers(headers)
        self.content = content

    def __repr__(self):
        return f"<Response {self.status} {self.url}>"

    @property
    def status_code(self):
        """`status`, under the name that `requests` has for it."""
        return self.status

    @property
    def ok(self):
        """Whether the status is below 400."""
        return self.status < 400

    @property
    def text(self):
        """The body as text, in the charset the reply names, else UTF-8; broken bytes become U+FFFD."""
        charset = _exchange.charset(self.headers.get("content-type", ""))
        return _exchange.text(self.content, charset or "utf-8")

    def json(self):
        """Returns the body parsed as JSON. Raises `ValueError` when it is not JSON."""
        return _intentbox.loads(self.content)

    @property
    def links(self):
        """The `Link` header: relation → `{"url": …, "rel": …, and its other parameters}`."""
        links = _exchange.links(self.headers.get("link", ""))
        return {link.get("rel", link["url"]): link for link in links}

    def raise_for_status(self):
        """Returns the reply itself, or raises `HttpStatusError` when its status is 400 or more."""
        if self.ok:
            return self
        detail = self.text[:300]
        raise HttpStatusError(f"{self.url} answered {self.status}: {detail}", self)


def request(method, url, *, params=None, headers=None, json=None, data=None, timeout=None):
    """Sends one request and returns its `Response`.

    `params` (mapping or pairs; `None` values are left out, lists repeat) extends the query. `json` is sent as JSON,
    `data` as it is (bytes, str) or as a form (mapping). `timeout` is in seconds, inside the run's own deadline.
    """
    headers = {str(name): str(value) for name, value in (headers or {}).items()}
    url = _exchange.with_query(url, _exchange.form(params or ()))
    body, content_type = _exchange.encoded(json, data)
    if content_type and "content-type" not in {name.lower() for name in headers}:
        headers["content-type"] = content_type
    return Response(*_exchange.send(method, url, headers, body, timeout))


def get(url, **options):
    """`request("GET", url, …)`."""
    return request("GET", url, **options)


def head(url, **options):
    """`request("HEAD", url, …)`."""
    return request("HEAD", url, **options)


def post(url, **options):
    """`request("POST", url, …)`."""
    return request("POST", url, **options)


def put(url, **options):
    """`request("PUT", url, …)`."""
    return request("PUT", url, **options)


def patch(url, **options):
    """`request("PATCH", url, …)`."""
    return request("PATCH", url, **options)


def delete(url, **options):
    """`request("DELETE", url, …)`."""
    return request("DELETE", url, **options)
