# row: E01
# outcome: ok
# result: []
# about: urllib, http.client, ftplib, smtplib, xmlrpc and friends reach nothing, files and data included
leaks = []


def attempt(name, act):
    try:
        leaks.append(f"{name}: {act()!r}"[:80])
    except BaseException:
        pass


def urllib_open(url):
    import urllib.request

    return urllib.request.urlopen(url, timeout=1).read(20)


def http_client():
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", 80, timeout=1)
    connection.request("GET", "/")


def from_module(module, name, *arguments):
    import importlib

    return getattr(importlib.import_module(module), name)(*arguments)


attempt("http", lambda: urllib_open("http://127.0.0.1/"))
attempt("file", lambda: urllib_open("file:///etc/hostname"))
attempt("local file", lambda: urllib_open("local_file:///etc/hostname"))
attempt("ftp", lambda: urllib_open("ftp://127.0.0.1/"))
attempt("client", lambda: [http_client()])
attempt("ftplib", lambda: from_module("ftplib", "FTP", "127.0.0.1"))
attempt("smtplib", lambda: from_module("smtplib", "SMTP", "127.0.0.1", 25))
attempt("poplib", lambda: from_module("poplib", "POP3", "127.0.0.1"))
attempt("imaplib", lambda: from_module("imaplib", "IMAP4", "127.0.0.1"))
attempt("browser", lambda: from_module("webbrowser", "open", "http://127.0.0.1") or 1 / 0)
attempt("server", lambda: from_module("socketserver", "TCPServer", ("127.0.0.1", 0), None))
attempt("syslog", lambda: from_module("logging.handlers", "SocketHandler", "127.0.0.1", 9).createSocket() or 1 / 0)
result = leaks
