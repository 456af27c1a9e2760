"""Files of the directories that the run was granted, to read.

    for file in files.list("logs:"):
        print(file["path"], file["bytes"])
    text = files.read_text("logs:app.log")
    with files.open("logs:app.log") as stream:
        for line in stream:                      # text, piece by piece: the file may be larger than the memory
            …

A path is `alias:folder/file`, where the alias names a directory of the configuration; `alias/folder/file` is the same. Nothing
can be written there; the script's own files are those of the built-in `open`, in a scratch directory that is gone after the
run. For a path that is not in it, the built-in `open` reads the granted file of that name.

What is not granted raises `CapabilityDenied`; what is granted and does not work raises `FileNotFoundError` or
`HostCallFailed`.
"""

import io as _io
import re as _re
import sys as _sys

import _intentbox
from intentbox import compressed as _compressed
from intentbox.errors import CapabilityDenied, HostCallFailed

__all__ = ["list", "open", "read_bytes", "read_text"]

# One call to the host reads this much, in bytes: the most that the host gives at a time.
_PIECE_BYTES = 1 << 20

# What a stream buffers of its piece, in bytes.
_BUFFER_BYTES = 128 << 10

# What `read_bytes` and `read_text` take into memory unless told otherwise, in bytes.
_WHOLE_BYTES_MAX = 32 << 20

# How many files an error names that are there.
_NAMED_MAX = 5

# What the built-in `open` need not ask for again.
_refused = set()

_list = list


class Listing(_list):
    """Files by path. `unread` names the folders whose files are not among them."""

    unread = ()

    def __await__(self):
        """Scripts take what reads files for a coroutine: it is there already."""
        return self
        yield


class File(dict):
    """A file of a listing: `path`, `bytes` and `modified`. It has the methods of its path too, for scripts that take it for one."""

    def __str__(self):
        return self["path"]

    __fspath__ = __str__

    def __getattr__(self, name):
        if name in self.keys():
            return self[name]
        return getattr(self["path"], name)

    def __getitem__(self, key):
        return self["path"][key] if isinstance(key, (int, slice)) else dict.__getitem__(self, key)

    def __contains__(self, part):
        return dict.__contains__(self, part) or (isinstance(part, str) and part in self["path"])

    def __eq__(self, other):
        return self["path"] == other if isinstance(other, str) else dict.__eq__(self, other)

    def __hash__(self):
        return hash(self["path"])

    def __lt__(self, other):
        return str(self) < str(other)

    def __add__(self, other):
        return str(self) + other

    def __radd__(self, other):
        return other + str(self)


def list(path):
    """Returns the files that `path` names, by path: `[{"path": "logs:app.log", "bytes": 123, "modified": 1763632692.5}]`.

    `path` is a folder (`"logs:"`, `"logs:api"`; the files of its folders count too) or a pattern: `*` and `?` stand for
    parts of one name, `**` for any folders (`"logs:**/*.log.gz"`). `modified` is in seconds after 1970. Symbolic links are
    left out. More than 10,000 files are an error: name a folder inside.

    Folders that the host may not read, or that lie deeper than 16 levels, are told on stderr and in the answer's `unread`.
    """
    found = _found(path)
    if found.unread:
        print(f"files.list: not read: {', '.join(found.unread)[:1000]}", file=_sys.stderr)
    return found


def _found(path):
    """What `list` gives, for whoever tells in another way what was not read."""
    path = _with_alias(path)
    alias, colon, below = path.partition(":")
    names = below.split("/")
    folder = []
    for name in names:
        if "*" in name or "?" in name:
            break
        folder.append(name)
    is_pattern = len(folder) < len(names)
    if not is_pattern and below:
        # A folder, or one file: a file is found in the folder above.
        folder = names[:-1]
    answer = _intentbox.list_files(alias + colon + "/".join(folder))
    entries = _ask(answer)
    if is_pattern:
        fits = _re.compile(_regex(path)).fullmatch
    elif below:
        def fits(found):
            return found == path or found.startswith(path.rstrip("/") + "/")
    else:
        def fits(found):
            return True
    found = Listing(
        File(path=name, bytes=size, modified=modified / 1000) for name, size, modified in entries if fits(name)
    )
    pattern = path if is_pattern else path.rstrip("/") + ("/**" if below else "**")
    found.unread = [folder for folder in answer[2] if _may_hold(pattern, folder)]
    if not found and not found.unread and below and not is_pattern:
        raise FileNotFoundError(2, f"there is no such file or folder{_there(path)}", path)
    return found


def open(path, mode="r", encoding="utf-8", errors="replace", newline=None):
    """Opens a file to read: text (`"r"`), or bytes (`"rb"`, buffered, with `seek`).

    The text of a file in gzip, bzip2 or xz is what it holds, without `seek`; its bytes are those of the file. `newline` is
    that of the built-in `open`; `csv` wants `""`.
    """
    if mode not in ("r", "rt", "rb"):
        raise ValueError(f"mode {mode!r}: the files of granted directories can only be read; write with the built-in open")
    stream = _io.BufferedReader(_Pieces(path), _BUFFER_BYTES)
    if mode == "rb":
        return stream
    kind = _compressed.kind(stream.peek(16)[:16])
    if kind:
        stream = _io.BufferedReader(_Unpacked(stream, kind), _BUFFER_BYTES)
    return _io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline=newline)


def read_bytes(path, bytes_max=_WHOLE_BYTES_MAX):
    """Returns the whole file as bytes; one of more than `bytes_max` bytes is a `ValueError`."""
    with open(path, "rb") as stream:
        content = stream.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise ValueError(f"{path} has more than {bytes_max} bytes: read it piece by piece with files.open")
    return content


def read_text(path, encoding="utf-8", errors="replace", bytes_max=_WHOLE_BYTES_MAX):
    """Returns the whole file as text, unpacked if it is in gzip, bzip2 or xz; one of more than `bytes_max` bytes is a
    `ValueError`."""
    content = read_bytes(path, bytes_max)
    kind = _compressed.kind(content)
    if kind:
        content = _io.BufferedReader(_Unpacked(_io.BytesIO(content), kind)).read(bytes_max + 1)
        if len(content) > bytes_max:
            raise ValueError(f"{path} holds more than {bytes_max} bytes: read it piece by piece with files.open")
    return content.decode(encoding, errors)


class _Unpacked(_io.RawIOBase):
    """What a compressed file holds, piece by piece."""

    def __init__(self, stream, kind):
        super().__init__()
        self._stream = stream
        self._pieces = _compressed.pieces(stream, kind, bytes_max=_PIECE_BYTES)
        self._piece, self._at = b"", 0

    def readable(self):
        return True

    def readinto(self, buffer):
        if self._at == len(self._piece):
            self._piece, self._at = next(self._pieces, b""), 0
        part = self._piece[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def close(self):
        self._stream.close()
        super().close()


class _Pieces(_io.RawIOBase):
    """A file of the host, read call by call. A reader may ask for little at a time (text asks for 8 KiB), and a run has
    a number of calls: each brings a whole piece, which serves all reads inside it."""

    def __init__(self, path):
        super().__init__()
        self.name = path = _with_alias(path)
        self._at = self._piece_at = 0
        # Not an empty read: whether there is such a file should be known when it is opened.
        answer = _intentbox.read_file(path, 0, _PIECE_BYTES)
        if answer[0] == "failed" and answer[1] == "not_found":
            raise FileNotFoundError(2, answer[2] + _there(path))
        self._piece = _ask(answer)

    def readable(self):
        return True

    def seekable(self):
        return True

    def readinto(self, buffer):
        start = self._at - self._piece_at
        if not 0 <= start < len(self._piece):
            # Before the call: a stream holds one piece, not two.
            self._piece = b""
            self._piece = _ask(_intentbox.read_file(self.name, self._at, _PIECE_BYTES))
            self._piece_at, start = self._at, 0
        part = self._piece[start : start + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def seek(self, offset, whence=0):
        if whence == 1:
            offset += self._at
        elif whence == 2:
            offset += sum(file["bytes"] for file in _found(self.name) if file["path"] == self.name)
        if offset < 0:
            raise ValueError(f"{self.name}: a position before the file")
        self._at = offset
        return offset

    def tell(self):
        return self._at


def _with_alias(path):
    """Returns `alias:folder/file` for a path that is written as `alias/folder/file`, or is an alias."""
    path = str(path)
    if ":" in path:
        return path
    alias, slash, below = path.removeprefix("./").partition("/")
    return f"{alias}:{below}" if _re.fullmatch("[a-z][a-z0-9_-]*", alias) else path


def _there(path):
    """Returns which files there are where one is not, for the message that says so."""
    alias, _, below = path.partition(":")
    try:
        answer = _intentbox.list_files(alias + ":")
        names = [name for name, *_ in _ask(answer)]
    except Exception:
        return ""
    if not names:
        return " (there are no files)"
    name = below.rstrip("/").rpartition("/")[2].lower()
    # Those with such a name come first.
    names.sort(key=lambda there: (name not in there.lower(), there))
    more = f" and {len(names) - _NAMED_MAX} more" if len(names) > _NAMED_MAX else ""
    return f" (there are {', '.join(names[:_NAMED_MAX])}{more})"


def granted(path, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """Opens a granted file for a script that asked the built-in `open` for it; `None` where that may not be meant.

    Not for scripts: it is how `open` finds what is not among their own files.
    """
    name = path if isinstance(path, str) else getattr(path, "__fspath__", lambda: None)()
    is_read = isinstance(mode, str) and mode in ("r", "rt", "rb") and isinstance(name, str)
    # An absolute path is one of the script's own world, where it may be missing.
    if not is_read or not _re.fullmatch("([.]/)?[a-z][a-z0-9_-]*[:/].+", name):
        return None
    alias = _with_alias(name).partition(":")[0]
    if alias in _refused:
        return None
    try:
        return open(name, mode, encoding or "utf-8", errors or "strict", newline)
    except CapabilityDenied:
        # A script may look for many of its own files that are not there: the host is asked once.
        _refused.add(alias)
        return None


def __getattr__(name):
    raise AttributeError(
        f"files has list, open, read_bytes and read_text, and no {name}: granted directories can only be read; return what "
        "is to be kept in `result`, or write a scratch file with the built-in open"
    )


def _may_hold(pattern, folder):
    """Whether a path inside `folder` could fit the pattern."""
    parts, names = pattern.split("/"), folder.split("/")
    for part, name in zip(parts, names):
        if "**" in part:
            return True
        if not _re.fullmatch(_regex(part), name):
            return False
    return len(parts) > len(names)


def _regex(pattern):
    parts = _re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    meaning = {"**/": "(?:[^/:]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(meaning.get(part, _re.escape(part)) for part in parts)


def _ask(answer):
    if answer[0] in ("files", "piece"):
        return answer[1]
    if answer[0] == "refused":
        raise CapabilityDenied(*answer[1:])
    if answer[1] == "not_found":
        raise FileNotFoundError(2, answer[2])
    raise HostCallFailed(*answer[1:])
