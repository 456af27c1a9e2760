from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit, urlunsplit
def with_query(url, **changes):
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    for key, value in changes.items():
        if value is None:
            query.pop(key, None)
        else:
            query[key] = value
    return urlunsplit(parts._replace(query=urlencode(query)))
print(with_query("https://x.org/s?q=a+b&page=1#top", page=2, q=None, lang="de"), with_query("/rel", a="ü&="))
def pages(base, total, size):
    return [with_query(base, offset=o, limit=size) for o in range(0, total, size)]
print(pages("https://api.x/items?sort=name", 5, 2))
print(parse_qs("a=1&a=2&b=&c", keep_blank_values=True), parse_qsl("x=%zz&y=%41"), quote("ünï/x y", safe="/"), urlencode({"d": "2024-01-01T00:00:00+02:00"}))
def normalise(url):
    parts = urlsplit(url.strip())
    host = (parts.hostname or "").lower()
    port = f":{parts.port}" if parts.port and (parts.scheme, parts.port) not in (("http", 80), ("https", 443)) else ""
    return urlunsplit((parts.scheme.lower(), host + port, parts.path or "/", urlencode(sorted(parse_qsl(parts.query))), ""))
print({normalise(u) for u in ("HTTP://Ex.com:80", "http://ex.com/?", "http://EX.com/#f")}, normalise("https://a:8443/x?b=2&a=1"))
