"""The classes of replies, without the temporary files of the standard library's: those take long to import."""

__all__ = ["addbase", "addclosehook", "addinfo", "addinfourl"]


class addbase:
    """A file-like object around `fp`."""

    def __init__(self, fp):
        self.fp = self.file = fp

    def __getattr__(self, name):
        # Until `fp` is there, asking for it again would never end.
        if name in ("fp", "file"):
            raise AttributeError(name)
        return getattr(self.fp, name)

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self)!r} whose fp = {self.fp!r}>"

    def __enter__(self):
        if self.fp.closed:
            raise ValueError("I/O operation on closed file")
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        return iter(self.fp)

    def close(self):
        """Closes the file."""
        self.fp.close()


class addclosehook(addbase):
    """Calls `closehook(*hookargs)` once when it is closed."""

    def __init__(self, fp, closehook, *hookargs):
        super().__init__(fp)
        self.closehook, self.hookargs = closehook, hookargs

    def close(self):
        try:
            closehook, self.closehook = self.closehook, None
            if closehook:
                closehook(*self.hookargs)
        finally:
            super().close()


class addinfo(addbase):
    """Has headers."""

    def __init__(self, fp, headers):
        super().__init__(fp)
        self.headers = headers

    def info(self):
        """Returns the headers."""
        return self.headers


class addinfourl(addinfo):
    """Has headers, a URL and a status."""

    def __init__(self, fp, headers, url, code=None):
        super().__init__(fp, headers)
        self.url, self.code = url, code

    @property
    def status(self):
        """The status code."""
        return self.code

    def getcode(self):
        """Returns the status code."""
        return self.code

    def geturl(self):
        """Returns the URL that answered."""
        return self.url
