# cpython: "URLError Connection refused\n"
# intentbox: "URLError sockets are not available in the sandbox: use http.get(url) and its kind for granted origins\n"
import urllib.error
import urllib.request
try:
    urllib.request.urlopen("http://127.0.0.1:9/")
except urllib.error.URLError as error:
    print(type(error).__name__, str(error.reason).split("] ")[-1])
