# outcome: capability_denied
import requests

requests.get(
    "https://example.com/", verify=True, cert=None, proxies={}, files={}, cookies={}, hooks={}, auth=None,
    allow_redirects=True, stream=False, headers=None, params=None, data=None, json=None, timeout=None,
)
