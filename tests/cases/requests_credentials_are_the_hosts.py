# outcome: host_call_failed
# message: the header `Authorization` is not for scripts to set: the host adds the credential of the origin, so leave out auth and Authorization
import requests

requests.get("sentry:/api/0/organizations/demo/issues/", auth=("user", "password"))
