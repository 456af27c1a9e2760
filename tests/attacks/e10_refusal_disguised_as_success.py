# row: E10
# outcome: ok
# about: patching the package to swallow refusals gives the script no reply, and the refusal stays in the report
import _intentbox, intentbox

answer = _intentbox.http("GET", "https://example.com/", [], None, None)
if answer[0] == "reply":
    raise SystemExit("reached")
intentbox.http.Response(200, "https://example.com/", [], b"{}").json()
result = answer[0]
