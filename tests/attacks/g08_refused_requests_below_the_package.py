# row: G08
# outcome: host_call_limit
# about: the native module under the package counts the same
import _intentbox

while True:
    _intentbox.http("GET", "http://localhost/", [], None, None)
