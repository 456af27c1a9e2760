# outcome: capability_denied
# message: POST https://example.com/ was refused: it is not below the base URL of a granted origin (this run may access: sentry)
import urllib.error
import urllib.request

try:
    urllib.request.urlopen("https://example.com/", data=b"a=1")
except urllib.error.URLError as error:
    assert error.reason == str(error)
    raise
