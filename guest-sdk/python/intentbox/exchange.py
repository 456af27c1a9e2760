"""One exchange with a granted origin: what a script says as the host's call, and the answer as a reply or an exception.

`http`, `requests` and `urllib.request` differ in what they look like to a script. What they share is here, and only
this module makes the call.
"""

import json as _json
import re
from urllib.parse import urlencode

import _intentbox
from intentbox.errors import CapabilityDenied, HostCallFailed

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"

# What one call to the host can carry (`CALL_BYTES_MAX` in `abi`): a file that has more is not read to its end.
BODY_BYTES_MAX = 2 << 20
_BLOCK_BYTES = 64 << 10

# The call has 32 bits for it, 49 days. The run's own deadline comes long before.
_TIMEOUT_MS_MAX = (1 << 32) - 1


def form(values):
    """Returns `values` (a mapping or pairs) as `name=value&…`.

    A value that is `None` is left out; a list, or whatever else can be iterated and is not text, repeats the name.
    """
    pairs = []
    for name, value in values.items() if hasattr(values, "items") else values:
        many = hasattr(value, "__iter__") and not isinstance(value, (str, bytes))
        pairs += [(name, one) for one in (value if many else [value]) if one is not None]
    return urlencode(pairs)


def with_query(url, query):
    """Returns `url` with `query`, which is encoded already, behind the query that it has."""
    if not query:
        return url
    url, hash_mark, fragment = url.partition("#")
    joint = "?" if "?" not in url else "" if url[-1] in "?&" else "&"
    return url + joint + query + hash_mark + fragment


def encoded(json, data, allow_nan=True):
    """Returns the body and its content type, either of which may be `None`.

    `json` that is not `None` is sent as JSON. `data` is sent as it is (str, bytes) or as a form (a mapping or pairs).
    """
    if json is not None:
        return _json.dumps(json, allow_nan=allow_nan).encode(), JSON
    if data is None or isinstance(data, bytes):
        return data, None
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data), None
    if isinstance(data, str):
        return data.encode(), None
    return form(data).encode(), FORM


def drained(source):
    """Returns all bytes of `source`, a file or an iterable of texts and bytes, once.

    Raises `ValueError` for one with more than `BODY_BYTES_MAX`, of which no more than that is read.
    """
    parts, length = [], 0
    for part in _blocks(source) if hasattr(source, "read") else source:
        # Not `bytes(part)`: that of a number is as many zeros.
        parts.append(part.encode() if isinstance(part, str) else memoryview(part).tobytes())
        length += len(parts[-1])
        if length > BODY_BYTES_MAX:
            raise ValueError(f"the body has more than {BODY_BYTES_MAX} bytes, the most of a call: send it in parts")
    return b"".join(parts)


def _blocks(file):
    while block := file.read(_BLOCK_BYTES):
        yield block


def send(method, url, headers, body=None, timeout=None, denied=CapabilityDenied, failed=HostCallFailed):
    """Sends one request and returns `(status, url, headers, content)`, with `headers` as pairs.

    `headers` maps text to text, `body` is bytes or `None`, `timeout` seconds or `None` for the host's own. What is not
    granted raises `denied(message, hint)`, what is granted and does not work `failed(kind, message)`.
    """
    timeout_ms = None
    if timeout is not None:
        timeout_ms = max(1, int(min(timeout * 1000, _TIMEOUT_MS_MAX)))
    flat = [part for pair in headers.items() for part in pair]
    what, *answer = _intentbox.http(method, url, flat, body, timeout_ms)
    if what == "reply":
        return answer
    raise denied(*answer) if what == "refused" else failed(*answer)


def charset(content_type):
    """Returns the charset that a `Content-Type` names, or `None`."""
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip("\"' ") or None
    return None


def text(content, encoding):
    """Returns bytes as text; broken ones become U+FFFD, and an encoding that Python does not know is UTF-8."""
    try:
        return content.decode(encoding, "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def links(header):
    """Returns the targets of a `Link` header in their order: `{"url": …, "rel": …, and its other parameters}`."""
    found = []
    for entry in re.split(", *<", header.strip(" ,")) if header else ():
        target, _, parameters = entry.partition(">")
        link = {"url": target.strip("<> '\"")}
        for parameter in parameters.split(";"):
            name, equals, value = parameter.partition("=")
            if equals:
                link[name.strip(" '\"")] = value.strip(" '\"")
        if link["url"]:
            found.append(link)
    return found
