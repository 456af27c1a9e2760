"""Dictionaries of this package."""

from collections.abc import Mapping, MutableMapping

__all__ = ["CaseInsensitiveDict", "LookupDict"]


class CaseInsensitiveDict(MutableMapping):
    """Names of headers and their values: looked up in any case, listed in the case of the last assignment."""

    def __init__(self, data=None, **more):
        self._entries = {}
        self.update({} if data is None else data, **more)

    def __setitem__(self, name, value):
        self._entries[name.lower()] = name, value

    def __getitem__(self, name):
        return self._entries[name.lower()][1]

    def __delitem__(self, name):
        del self._entries[name.lower()]

    def __iter__(self):
        return (name for name, _ in self._entries.values())

    def __len__(self):
        return len(self._entries)

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.lower_items()) == dict(CaseInsensitiveDict(other).lower_items())

    def __repr__(self):
        return repr(dict(self.items()))

    def lower_items(self):
        """Returns the pairs of names in lower case and values."""
        return ((lower, value) for lower, (_, value) in self._entries.items())

    def copy(self):
        """Returns another dictionary of the same entries."""
        return CaseInsensitiveDict(self._entries.values())


class LookupDict(dict):
    """Attributes that can be looked up as keys; a name that is not there is `None` as a key."""

    def __init__(self, name=None):
        super().__init__()
        self.name = name

    def __repr__(self):
        return f"<lookup '{self.name}'>"

    def __getitem__(self, key):
        return self.__dict__.get(key)

    def get(self, key, default=None):
        """Returns the value of `key`, or `default`."""
        return self.__dict__.get(key, default)
