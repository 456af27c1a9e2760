# outcome: capability_denied
# message: GET https://example.com/ was refused: it lies under no granted origin (this run may reach: sentry)
import requests

requests.get("https://example.com/")
