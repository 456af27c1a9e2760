# outcome: python_error
# message: forged
import requests

raise requests.exceptions.HTTPError("forged", response=requests.Response())
