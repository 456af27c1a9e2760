"""`Session`: what several requests have in common. Every request goes through one."""

import time
from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from intentbox import exchange
from requests import adapters, exceptions
from requests.cookies import SENTENCE as _COOKIES
from requests.cookies import RequestsCookieJar
from requests.models import PreparedRequest, Response
from requests.structures import CaseInsensitiveDict
from requests.utils import default_headers

__all__ = ["Session", "session"]

_FILES = (
    "files are not sent as multipart bodies in the sandbox: pass the bytes as data, "
    "with the Content-Type that the server expects"
)
_VERIFY = "certificates are always checked, by the host and against its roots: leave verify out, or pass True"
_CERT = "client certificates are not available in the sandbox: the host adds the credential of a granted origin"
_PROXIES = "proxies are not available in the sandbox: the host opens connections itself; leave proxies out"
_REDIRECTS = (
    "allow_redirects=False is not available in the sandbox: the host follows redirects, within the grant; "
    "leave it out, and look at response.url for where the reply came from"
)


class Session:
    """Headers, parameters, credentials and hooks for every request that is made with it.

    A request's own win, and `None` leaves one of the session's out. The host keeps connections and knows no cookies,
    so that a session holds nothing that must be closed.
    """

    def __init__(self):
        self.headers = default_headers()
        self.params = {}
        self.auth = None
        self.hooks = {"response": []}
        self.cookies = RequestsCookieJar()
        self.verify = True
        self.cert = None
        self.proxies = {}
        self.stream = False
        # What others have here, and what it is for the host: no proxies and credentials of the environment.
        self.trust_env = False
        self.max_redirects = 30

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        """Does nothing: the connections are the host's."""

    def request(
        self, method, url, params=None, data=None, headers=None, cookies=None, files=None, auth=None, timeout=None,
        allow_redirects=True, proxies=None, hooks=None, stream=None, verify=None, cert=None, json=None,
    ):  # fmt: skip
        """Sends one request and returns its `Response`.

        `params` (mapping, pairs, str or bytes) extends the query; `None` is left out, lists repeat. `data` is sent as
        it is (str, bytes), as a form (mapping, pairs), or read from a file or generator, once and up to 2 MiB; `json`
        is sent as JSON. `timeout` is in seconds and for the whole request; of a tuple of two, for connecting and for
        reading, it is the sum. The host follows redirects, and checks certificates.

        Raises a `RequestException`. What was not granted is a `ConnectionError` that is a `CapabilityDenied`, too. What
        the sandbox does not have raises `NotImplementedError`: `verify=False`, `cert`, `proxies`, `files`, `cookies`
        and `allow_redirects=False`.
        """
        _refuse(cookies or self.cookies, _COOKIES)
        _refuse(files, _FILES)
        _refuse(cert or self.cert, _CERT)
        _refuse(proxies or self.proxies, _PROXIES)
        verify = self.verify if verify is None else verify
        _refuse(verify is not True and verify is not None, _VERIFY)
        _refuse(not allow_redirects, _REDIRECTS)
        seconds = _seconds(timeout)
        request = PreparedRequest(
            method,
            url,
            params=_merged(params, self.params, dict),
            headers=_merged(headers, self.headers, CaseInsensitiveDict),
            json=json,
            data=data,
            auth=auth or self.auth,
            hooks=_hooks(hooks, self.hooks),
        )
        return _sent(request, seconds)

    def get(self, url, **options):
        """`request("GET", url, …)`."""
        return self.request("GET", url, **options)

    def options(self, url, **options):
        """`request("OPTIONS", url, …)`, which the host refuses: no origin grants it."""
        return self.request("OPTIONS", url, **options)

    def head(self, url, **options):
        """`request("HEAD", url, …)`."""
        return self.request("HEAD", url, **options)

    def post(self, url, data=None, json=None, **options):
        """`request("POST", url, …)`."""
        return self.request("POST", url, data=data, json=json, **options)

    def put(self, url, data=None, **options):
        """`request("PUT", url, …)`."""
        return self.request("PUT", url, data=data, **options)

    def patch(self, url, data=None, **options):
        """`request("PATCH", url, …)`."""
        return self.request("PATCH", url, data=data, **options)

    def delete(self, url, **options):
        """`request("DELETE", url, …)`."""
        return self.request("DELETE", url, **options)

    def mount(self, prefix, adapter):
        """Raises `NotImplementedError`: the host makes the connections."""
        raise NotImplementedError(adapters.SENTENCE)

    def get_adapter(self, url):
        """Raises `NotImplementedError`: the host makes the connections."""
        raise NotImplementedError(adapters.SENTENCE)


def session():
    """Returns a `Session`."""
    return Session()


def _sent(request, seconds):
    body = request.body.encode() if isinstance(request.body, str) else request.body
    denied, failed = partial(exceptions.refused, request), partial(exceptions.failed, request)
    start = time.perf_counter()
    answer = exchange.send(request.method, request.url, request.headers, body, seconds, denied, failed)
    response = Response.of(request, answer, timedelta(seconds=time.perf_counter() - start))
    hooks = request.hooks.get("response") or ()
    for hook in [hooks] if callable(hooks) else hooks:
        response = hook(response) or response
    return response


def _refuse(asked, sentence):
    if asked:
        raise NotImplementedError(sentence)


def _seconds(timeout):
    parts = timeout if isinstance(timeout, tuple) else (timeout,)
    if isinstance(timeout, tuple) and len(parts) != 2:
        raise ValueError(f"Invalid timeout {timeout}: pass a number of seconds, or a (connect, read) tuple of two.")
    for part in parts:
        if part is None:
            return None
        if isinstance(part, bool) or not isinstance(part, (int, float)):
            raise ValueError(f"Timeout value was {part!r}, but it must be an int, float or None.")
        if not part > 0:
            raise ValueError(f"Attempted to set a timeout of {part} seconds: it must be more than 0, or None.")
    return sum(parts)


def _merged(own, common, kind):
    """What a request says over what its session says. What is no mapping, such as pairs, stands alone."""
    own = own or {}
    if not isinstance(own, Mapping):
        return own
    if not isinstance(common, Mapping):
        return own or common
    merged = kind(common)
    merged.update(own)
    return kind({name: value for name, value in merged.items() if value is not None})


def _hooks(own, common):
    """A request's hooks replace those of its session, as long as it has some."""
    return own if own and own.get("response") else common
