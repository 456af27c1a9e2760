# outcome: host_call_failed
# message: 404 Client Error: Not Found for url: sentry:/api/0/organizations/nobody/issues/
import requests

reply = requests.get("sentry:/api/0/organizations/nobody/issues/")
try:
    reply.raise_for_status()
except requests.HTTPError as error:
    assert error.response is reply and error.request is reply.request and not reply.ok
    raise
