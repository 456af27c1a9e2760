import io
import urllib.error
import urllib.request
import urllib.response
for url in ("https://example.com:81/x/y?z=1#part", "http://h", "http://h?q", "HTTP://H/X", "<URL:http://a/b>", "http://h/#", "api:/0/?x=1"):
    request = urllib.request.Request(url)
    print(request.full_url, request.type, request.host, repr(request.selector), request.fragment, request.origin_req_host)
request = urllib.request.Request("http://h/", headers={"X-ID": "1"})
print(request.get_method(), request.data)
request.add_header("user-agent", "z")
request.add_unredirected_header("X-Un", "u")
request.data = b"q"
print(request.headers, sorted(request.header_items()), request.has_header("X-id"), request.has_header("X-ID"))
print(request.get_header("X-id"), request.get_header("none", 2), request.get_method())
request.remove_header("X-id")
request.method = "PATCH"
del request.data
print(sorted(request.header_items()), request.get_method(), request.data, request.has_proxy())
for url in ("", "example", "//example.com/x"):
    try:
        urllib.request.Request(url)
    except ValueError as error:
        print(error)
try:
    urllib.request.urlopen("http://h/", "text")
except TypeError as error:
    print(error)
for url in ("unknown://x/", "ed2k:x"):
    try:
        urllib.request.urlopen(url)
    except urllib.error.URLError as error:
        print(error)
error = urllib.error.HTTPError("http://h/", 404, "Not Found", {"a": "b"}, io.BytesIO(b"body"))
print(error, error.code, error.status, error.reason, error.headers, error.read(), error.geturl(), error.getcode())
reply = urllib.response.addinfourl(io.BytesIO(b"one\ntwo"), {"a": "b"}, "http://h/", 200)
with reply:
    print(reply.read(2), reply.readline(), list(reply), reply.info(), reply.geturl(), reply.status)
print(reply.closed, urllib.request.url2pathname("/a%20b"), urllib.request.quote("a b"))
