# outcome: ok
# result: [[null,{}],["text é",{}],["a=1&a=2&b=x+y",{"Content-Type":"application/x-www-form-urlencoded"}],["a=1&a=2",{"Content-Type":"application/x-www-form-urlencoded"}],["{\"a\": [1, null, \"\\u00e9\"]}",{"Content-Type":"application/json"}],["[]",{"Content-Type":"application/json"}],["0",{"Content-Type":"application/json"}],["wins",{}],["file",{}],["ab",{}],["{}",{"content-type":"application/vnd.api+json"}],["InvalidJSONError","Out of range float values are not JSON compliant: nan"],["TypeError","Object of type object is not JSON serializable"],["2097152",{}],["ValueError","the body has more than 2097152 bytes, the most of a call: se"],["TypeError","cannot unpack non-iterable int object"]]
import io
import requests

result = []
for options in [
    {}, {"data": "text é"}, {"data": {"a": [1, None, 2], "b": "x y"}}, {"data": [("a", 1), ("a", 2)]},
    {"json": {"a": [1, None, "é"]}},
    {"json": []}, {"data": {}, "json": 0}, {"data": "wins", "json": 1}, {"data": io.StringIO("file")},
    {"data": iter(["a", "b"])},
    {"json": {}, "headers": {"content-type": "application/vnd.api+json"}}, {"json": float("nan")}, {"json": object()},
    {"data": io.BytesIO(b"x" * (2 << 20))}, {"data": io.BytesIO(b"x" * (2 << 20) + b"x")}, {"data": [1, 2]},
]:
    try:
        request = requests.PreparedRequest("POST", "sentry:/x", **options)
        body = request.body
        body = body if body is None or len(body) < 100 else str(len(body))
        result.append([body.decode() if isinstance(body, bytes) else body, dict(request.headers)])
    except (requests.RequestException, TypeError, ValueError) as error:
        result.append([type(error).__name__, str(error)[:60]])
