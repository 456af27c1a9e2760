"""Cookies, which there are none of: the host sends none, and takes those of replies away."""

__all__ = ["RequestsCookieJar", "cookiejar_from_dict"]

SENTENCE = (
    "cookies are not available in the sandbox: the host sends none and keeps none; "
    "use an origin with a token, which the host adds"
)


class RequestsCookieJar(dict):
    """Always empty: putting something into it raises `NotImplementedError`."""

    def get_dict(self, domain=None, path=None):
        """Returns an empty dictionary."""
        return {}

    def _refuse(self, *arguments, **options):
        raise NotImplementedError(SENTENCE)

    set = set_cookie = setdefault = __setitem__ = __ior__ = _refuse

    def update(self, *others, **more):
        """Takes what is empty."""
        if more or any(others):
            self._refuse()


def cookiejar_from_dict(cookies=None, *arguments, **options):
    """Returns an empty jar, of nothing."""
    jar = RequestsCookieJar()
    jar.update(cookies or {})
    return jar
