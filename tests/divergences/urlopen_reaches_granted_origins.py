# cpython: "URLError True\n"
# intentbox: "CapabilityDenied True\n"
import urllib.error
import urllib.request
try:
    urllib.request.urlopen("http://127.0.0.1:9/")
except urllib.error.URLError as error:
    print(type(error).__name__, isinstance(error, OSError))
