# cpython: "opened\n"
# intentbox: "OSError sockets are not available in the sandbox: use requests.get(url) or http.get(url) for granted origins\n"
import socket
try:
    socket.socket().close()
    print("opened")
except OSError as error:
    print(type(error).__name__, error)
