# cpython: "OpenerDirector\n"
# intentbox: "openers and handlers are not available in the sandbox: use urlopen(Request(url, data, headers)) or requests\n"
import urllib.request
try:
    print(type(urllib.request.build_opener(urllib.request.ProxyHandler({}))).__name__)
except NotImplementedError as error:
    print(error)
