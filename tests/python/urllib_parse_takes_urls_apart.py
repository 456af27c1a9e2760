from urllib.parse import parse_qs, parse_qsl, quote, quote_plus, unquote, unquote_plus, urlencode, urljoin, urlparse, urlsplit, urlunparse, urlunsplit
url = "https://ada:pw@example.com:8443/a%20b/c;p?q=1&q=2&empty=&x=%C3%A9#frag"
parts = urlparse(url)
print(parts)
print(parts.hostname, parts.port, parts.username, parts.netloc, parts.geturl() == url)
print(parse_qs(parts.query), parse_qs(parts.query, keep_blank_values=True), parse_qsl("a=1&b=2"))
print(urlencode({"q": "a b&c", "n": [1, 2]}, doseq=True), urlencode([("é", "ü")]), urlencode({"a": None}))
print(quote("a b/ü?&"), quote("a/b", safe=""), quote_plus("a b+c"), unquote("%E2%82%AC%20x"), unquote_plus("a+b%2Bc"))
base = "https://example.com/docs/v1/index.html"
print([urljoin(base, ref) for ref in ("page", "/root", "../v2/", "?q=1", "#top", "//other.org/x", "http://a/b")])
print(urlunsplit(urlsplit(base)._replace(path="/new", query="k=v")), urlsplit("sentry:/api/0/").scheme, urlparse("no scheme"))
try:
    urlparse("http://host:99999/").port
except ValueError as error:
    print("ValueError")
