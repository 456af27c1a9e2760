# outcome: host_call_failed
# message: HTTP Error 404: Not Found
import urllib.error
import urllib.request

try:
    urllib.request.urlopen("sentry:/api/0/organizations/nobody/issues/")
except urllib.error.HTTPError as error:
    assert (error.code, error.reason, error.headers.get_content_type()) == (404, "Not Found", "application/json")
    assert b"detail" in error.read()
    raise
