# outcome: capability_denied
# message: GET https://example.com/ was refused: it is not below the base URL of a granted origin (this run may access: sentry)
import requests

requests.get("https://example.com/")
