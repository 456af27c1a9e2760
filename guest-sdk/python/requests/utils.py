"""Small functions that scripts use besides the requests themselves."""

import re
from urllib.parse import quote, unquote, urlparse

from intentbox import exchange
from requests.structures import CaseInsensitiveDict

__all__ = [
    "default_headers", "dict_from_cookiejar", "parse_header_links", "quote", "requote_uri", "to_key_val_list",
    "unquote", "unquote_unreserved", "urlparse",
]  # fmt: skip

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# What stays as it is in a path, and in a query or fragment.
_PATH = "!$&'()*+,;=:@/"
_QUERY = _PATH + "?"
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")


def default_headers():
    """Returns no headers: the host adds its own."""
    return CaseInsensitiveDict()


def dict_from_cookiejar(jar):
    """Returns an empty dictionary, as jars are empty."""
    return dict(jar)


def parse_header_links(value):
    """Returns the targets of a `Link` header in their order."""
    return exchange.links(value)


def to_key_val_list(value):
    """Returns a mapping or pairs as a list of pairs, and `None` as `None`."""
    if value is None:
        return None
    if isinstance(value, (str, bytes, bool, int)):
        raise ValueError("cannot encode objects that are not 2-tuples")
    return list(value.items() if hasattr(value, "items") else value)


def unquote_unreserved(url):
    """Returns `url` with the characters that need no percent-encoding plain."""

    def plain(found):
        character = chr(int(found.group()[1:], 16))
        return character if character in _UNRESERVED else found.group().upper()

    return _ESCAPE.sub(plain, url)


def requote_uri(url):
    """Returns `url` with everything behind the host encoded that has to be, and nothing encoded twice.

    Where a percent sign encodes nothing, all of that part stand for themselves. The host is left as it is.
    """
    rest, hash_mark, fragment = url.partition("#")
    rest, question_mark, query = rest.partition("?")
    start = rest.find("/", rest.find("://") + 3 if "://" in rest else 0)
    head, path = (rest, "") if start < 0 else (rest[:start], rest[start:])
    uri = head + _requoted(path, _PATH)
    uri += question_mark + _requoted(query, _QUERY) if query else ""
    return uri + (hash_mark + _requoted(fragment, _QUERY) if fragment else "")


def _requoted(part, safe):
    if len(_ESCAPE.findall(part)) == part.count("%"):
        safe += "%"
    return unquote_unreserved(quote(part, safe=safe))
