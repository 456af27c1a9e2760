# outcome: ok
# result: "CapabilityDenied"
import intentbox

try:
    http.get("https://example.com/")
except intentbox.CapabilityDenied as error:
    result = type(error).__name__
