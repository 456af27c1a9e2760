# outcome: ok
# result: ["Attempted to set a timeout of 0 seconds: it must be more than 0, or None.","Attempted to set a timeout of -1 seconds: it must be more than 0, or None.","Timeout value was True, but it must be an int, float or None.","Timeout value was '1', but it must be an int, float or None.","Invalid timeout (1,): pass a number of seconds, or a (connect, read) tuple of two.","Invalid timeout (1, 2, 3): pass a number of seconds, or a (connect, read) tuple of two.","Attempted to set a timeout of nan seconds: it must be more than 0, or None.","CapabilityDenied","CapabilityDenied","CapabilityDenied","CapabilityDenied","CapabilityDenied"]
import requests

result = []
for timeout in (0, -1, True, "1", (1,), (1, 2, 3), float("nan"), float("inf"), 1e30, (3, None), (0.1, 2), None):
    try:
        requests.get("https://example.com/", timeout=timeout)
    except ValueError as error:
        result.append(str(error))
    except requests.ConnectionError as error:
        result.append(type(error).__name__)
