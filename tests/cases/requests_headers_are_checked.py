# outcome: ok
# result: ["Header part (1) from ('X', 1) must be of type str or bytes, not <class 'int'>","Invalid leading whitespace, reserved character(s), or return character(s) in header ' leading'","Invalid leading whitespace, reserved character(s), or return character(s) in header 'a\\nb'","Invalid leading whitespace, reserved character(s), or return character(s) in header 'a b:'",{"X":"bytes","y":""}]
import requests

result = []
for headers in ({"X": 1}, {"X": " leading"}, {"X": "a\nb"}, {"a b:": "x"}, {"X": b"bytes", "y": ""}):
    try:
        result.append(dict(requests.PreparedRequest("GET", "sentry:/x", headers=headers).headers))
    except requests.exceptions.InvalidHeader as error:
        result.append(str(error))
