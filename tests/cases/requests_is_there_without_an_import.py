# outcome: ok
# result: [true,"sentry:/x?a=1"]

# As `files`, `http` and `tools` are.
import sys

result = [requests is sys.modules["requests"], requests.PreparedRequest("GET", "sentry:/x", params={"a": 1}).url]
