"""Where `zoneinfo` finds its files: in the guest's own file system. The environment and the build have no say in it."""

import os

TZPATH = ("/usr/share/zoneinfo",)
# Files and folders beside the zones that are not zones, or are all zones once more.
_NOT_ZONES = ("posix", "right", "posixrules", "localtime")


class InvalidTZPathWarning(RuntimeWarning):
    pass


def reset_tzpath(to=None):
    """Looks for zones in the folders `to` from now on, or where it looked at first."""
    global TZPATH
    if to is None:
        TZPATH = ("/usr/share/zoneinfo",)
        return
    if isinstance(to, (str, bytes)):
        raise TypeError(f"tzpaths must be a list or tuple, not {type(to)}: {to!r}")
    folders = tuple(os.fspath(folder) for folder in to)
    relative = [folder for folder in folders if not os.path.isabs(folder)]
    if relative:
        raise ValueError("these paths are not absolute: " + ", ".join(relative))
    TZPATH = folders


def find_tzfile(key):
    """Returns the path of the file for `key`, or None. A key that could leave the folder is a `ValueError`."""
    if key.startswith("/") or any(part in ("", ".", "..") for part in key.split("/")):
        raise ValueError(f"a ZoneInfo key is a plain relative path, not {key!r}")
    for folder in TZPATH:
        path = os.path.join(folder, key)
        if os.path.isfile(path):
            return path
    return None


def available_timezones():
    """Returns the keys of all files that are zones."""
    zones = set()
    for folder in TZPATH:
        for parent, children, files in os.walk(folder):
            if parent == folder:
                children[:] = [child for child in children if child not in _NOT_ZONES]
            for name in files:
                path = os.path.join(parent, name)
                key = os.path.relpath(path, folder)
                if key not in _NOT_ZONES and _is_zone(path):
                    zones.add(key)
    return zones


def _is_zone(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"TZif"
    except OSError:
        return False
