# cpython: "ConnectionRefusedError Connection refused\n"
# intentbox: "OSError sockets are not available in the sandbox: use requests.get(url) or http.get(url) for granted origins\n"
import http.client
try:
    http.client.HTTPSConnection("127.0.0.1", 9).request("GET", "/")
except OSError as error:
    print(type(error).__name__, str(error).split("] ")[-1])
