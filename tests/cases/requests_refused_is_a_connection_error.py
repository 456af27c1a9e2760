# outcome: ok
# result: [["CapabilityDenied",true,"https://example.com/?page=2",null],["CapabilityDenied",true,"https://example.com/?page=2",null]]
import intentbox
import requests

result = []
for send in (requests.get, requests.options):
    try:
        send("https://example.com/", params={"page": 2})
    except requests.exceptions.ConnectionError as error:
        denied = isinstance(error, intentbox.CapabilityDenied)
        result.append([type(error).__name__, denied, error.request.url, error.response])
