# outcome: capability_denied
# message: OPTIONS sentry:/api/0/ was refused: a script may use GET, HEAD, POST, PUT, PATCH and DELETE
import requests

requests.options("sentry:/api/0/")
