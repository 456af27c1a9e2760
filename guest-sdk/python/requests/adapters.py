"""Adapters, which are not available: the host opens connections, and keeps them."""

from intentbox import absent

__all__ = ["BaseAdapter", "HTTPAdapter"]

SENTENCE = (
    "adapters are not available in the sandbox: the host makes the connections and keeps them; for retries, "
    + absent.RETRIES
)


class BaseAdapter:
    """A class for annotations and `isinstance`; there are no instances."""

    def __init__(self, *arguments, **options):
        raise NotImplementedError(SENTENCE)


class HTTPAdapter(BaseAdapter):
    """A class for annotations and `isinstance`; there are no instances."""
