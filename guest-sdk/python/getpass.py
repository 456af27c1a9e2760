"""`getpass` without users and terminals."""

from intentbox import absent

__all__ = ["GetPassWarning", "getpass", "getuser"]


class GetPassWarning(UserWarning):
    pass


getpass = absent.no_terminal


def getuser():
    """Returns "sandbox"."""
    return "sandbox"
