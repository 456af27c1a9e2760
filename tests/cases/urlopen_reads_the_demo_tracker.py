# outcome: ok
# result: [2,200,200,"OK","sentry:/api/0/organizations/demo/issues/?limit=2","application/json",true,"none","application/json",true,2,"application/json"]
import json
import urllib.request

url = "sentry:/api/0/organizations/demo/issues/?limit=2"
request = urllib.request.Request(url, headers={"Accept": "application/json"})
with urllib.request.urlopen(request, timeout=10) as reply:
    rows = json.load(reply)
filename, headers = urllib.request.urlretrieve(request.full_url, "/tmp/issues.json")
result = [
    len(rows), reply.status, reply.getcode(), reply.reason, reply.geturl(),
    reply.headers.get_content_type(), reply.closed,
    reply.headers.get_content_charset("none"), reply.headers["CONTENT-TYPE"], reply.info() is reply.headers,
    len(json.load(open(filename))), headers.get("content-type"),
]
