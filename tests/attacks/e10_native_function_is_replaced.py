# row: E10
# outcome: ok
# result: [200, "forged"]
# about: a script may forge replies to itself; that reaches nobody else
import _intentbox

_intentbox.http = lambda *_: ("reply", 200, "x", [], b'"forged"')
reply = http.get("https://example.com/")
result = [reply.status, reply.json()]
