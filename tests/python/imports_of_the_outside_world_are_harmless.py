import concurrent.futures
import http.client
import http.cookies
import multiprocessing
import signal
import socket
import ssl
import subprocess
import threading
import urllib.error
import urllib.request
print(http.HTTPStatus.NOT_FOUND.phrase, http.HTTPStatus(200).name, http.HTTPMethod.GET)
cookie = http.cookies.SimpleCookie("session=abc; theme=dark")
print(cookie["session"].value, sorted(cookie), cookie.output(header="Set-Cookie:").splitlines()[0])
request = urllib.request.Request("https://example.com/x?y=1", data=b"a", headers={"X-Id": "1"}, method="PUT")
print(request.host, request.get_method(), request.selector, request.header_items())
print(subprocess.CalledProcessError(2, ["ls"]), issubclass(socket.gaierror, OSError), socket.timeout is TimeoutError, isinstance(socket.gethostname(), str))
print(subprocess.PIPE, subprocess.CompletedProcess(["a"], 0, "out"), issubclass(ssl.SSLError, OSError), ssl.CERT_REQUIRED == 2)
context = ssl.create_default_context()
context.check_hostname = False
print(context.verify_mode == ssl.CERT_REQUIRED, multiprocessing.current_process().name, isinstance(multiprocessing.cpu_count(), int))
error = urllib.error.HTTPError("http://a", 404, "Not Found", {}, None)
print(error.code, error, isinstance(error, OSError), signal.SIGTERM == 15, signal.Signals(2).name)
future = concurrent.futures.Future()
future.set_result(3)
print(future.result(), future.done(), [f.result() for f in concurrent.futures.as_completed([future])])
