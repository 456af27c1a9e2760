# outcome: ok
# result: ["http://example.com/","http://example.com/","http://example.com/Path?a=1&list=1&list=x+y&text=%C3%BC~%26%3D","http://example.com/p?z=9&a=1&a=2#part","http://example.com/p?z=9&q=a%20b&c=%5B1%5D","http://example.com/p?raw=1","http://example.com/a%20b/~c/A/%C3%A9?q=%C3%BC","http://example.com/100%25?half=50%25","http://example.com/a+b?c=1%2B","sentry:/api/0/x%20y/?limit=5","http://example.com/bytes?flag=True&bytes=%FF"]
from requests import PreparedRequest

site = "http://example.com"
result = [
    PreparedRequest("get", url, params).url
    for url, params in [
        (site, None),
        (site + "?", {}),
        ("HTTP://Example.COM/Path", {"a": 1, "none": None, "list": [1, None, "x y"], "text": "ü~&="}),
        (site + "/p?z=9#part", [("a", 1), ("a", 2)]),
        (site + "/p?z=9", "q=a b&c=[1]"),
        (site + "/p", b"raw=1"),
        (site + "/a b/%7Ec/%41/é?q=ü", None),
        (site + "/100%", {"half": "50%"}),
        ("  " + site + "/a+b?c=1%2B", ()),
        ("sentry:/api/0/x y/", {"limit": 5}),
        (b"http://example.com/bytes", {"flag": True, "bytes": b"\xff"}),
    ]
]
