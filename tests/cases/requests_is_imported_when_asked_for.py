# outcome: ok
# result: [[],true]
import sys

at_boot = [name for name in ("requests", "urllib.request", "urllib.response", "http.client") if name in sys.modules]
import requests

result = [at_boot, "requests.models" in sys.modules]
