# row: G08
# outcome: host_call_limit
# about: methods, addresses, headers and bodies of every odd kind are refused one by one until the count ends the run
import intentbox

methods = ("GET", "", "G E T", "GET\r\nHost: x", "CONNECT", "TRACE", "é" * 100, "A" * 100_000, "\x00")
urls = ("", ":", "://", "file:///etc/passwd", "http://[::1]/", "http://0/", "//x", "sentry:", "sentry:\\", "sentry:/../..",
        "sentry:/%2e%2e/", "http://a@b:99999/", "x" * 100_000, "sentry:/\r\nX: y", "\x00", "http://[", "data:,x", "sentry:/\ud7ff")
headers = ({}, {"": ""}, {"Host": "x"}, {"a\r\nb": "c"}, {"x": "y\r\nz: w"}, {"x": "é\x00"}, {"n" * 60_000: "v"})
while True:
    for url in urls:
        for method in methods:
            for header in headers:
                for body in (None, b"", b"x" * 100):
                    try:
                        http.request(method, url, headers=header, data=body, timeout=1e-9)
                    except (intentbox.CapabilityDenied, intentbox.HostCallFailed, ValueError, OverflowError):
                        pass
