# row: G08
# outcome: host_call_limit
# about: a million refused requests, each refusal swallowed, must end the run
import intentbox

while True:
    try:
        http.get("https://example.com/")
    except intentbox.CapabilityDenied:
        pass
