# row: E01
# outcome: ok
# result: []
# about: no socket of any family connects, listens, pairs or resolves a name
leaks = []
try:
    import socket

    for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"):
        for kind in ("SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW"):
            try:
                end = socket.socket(getattr(socket, family), getattr(socket, kind))
            except (OSError, AttributeError, NotImplementedError):
                continue
            for act in (lambda: end.connect(("127.0.0.1", 22)), lambda: end.bind(("127.0.0.1", 0)), lambda: end.listen(), lambda: end.sendto(b"x", ("127.0.0.1", 53)), lambda: end.accept()):
                try:
                    act()
                    leaks.append(f"{family} {kind}")
                except BaseException:
                    pass
    for act in (lambda: socket.getaddrinfo("localhost", 80), lambda: socket.gethostbyname("localhost"), lambda: socket.create_connection(("127.0.0.1", 22)),
                lambda: socket.socketpair(), lambda: socket.create_server(("", 0)), lambda: socket.fromfd(1, 2, 1), lambda: socket.gethostbyaddr("127.0.0.1"),
                lambda: socket.if_nameindex()):
        try:
            leaks.append(repr(act())[:60])
        except BaseException:
            pass
except ImportError:
    pass
result = leaks
