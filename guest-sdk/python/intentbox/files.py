"""Files of the directories that the run was granted, to read.

    for file in files.list("logs:"):
        print(file["path"], file["bytes"])
    text = files.read_text("logs:app.log")
    with files.open("logs:app.log") as stream:
        for line in stream:                      # bytes, piece by piece: the file may be larger than the memory
            …

A path is `alias:folder/file`, where the alias names a directory of the configuration. Nothing can be written there; the
script's own files are those of `open`, in a scratch directory that is gone after the run.

What is not granted raises `CapabilityDenied`; what is granted and does not work raises `FileNotFoundError` or
`HostCallFailed`.
"""

import io as _io
import re as _re
import sys as _sys

import _intentbox
from intentbox.errors import CapabilityDenied, HostCallFailed

__all__ = ["list", "open", "read_bytes", "read_text"]

# One call to the host reads this much, in bytes: the most that the host gives at a time.
_PIECE_BYTES = 1 << 20

# What a stream buffers of its piece, in bytes.
_BUFFER_BYTES = 128 << 10

# What `read_bytes` and `read_text` take into memory unless told otherwise, in bytes.
_WHOLE_BYTES_MAX = 32 << 20

_list = list


class Listing(_list):
    """Files by path. `unread` names the folders whose files are not among them."""

    unread = ()


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
        {"path": name, "bytes": size, "modified": modified / 1000} for name, size, modified in entries if fits(name)
    )
    pattern = path if is_pattern else path.rstrip("/") + ("/**" if below else "**")
    found.unread = [folder for folder in answer[2] if _may_hold(pattern, folder)]
    if not found and not found.unread and below and not is_pattern:
        raise FileNotFoundError(2, "there is no such file or folder", path)
    return found


def open(path, mode="rb", encoding="utf-8", errors="replace", newline=None):
    """Opens a file to read: bytes (`"rb"`, buffered, with `seek`), or text (`"r"`).

    `newline` is that of the built-in `open`; `csv` wants `""`.
    """
    if mode not in ("r", "rt", "rb"):
        raise ValueError(f"mode {mode!r}: the files of granted directories can only be read; write with the built-in open")
    stream = _io.BufferedReader(_Pieces(path), _BUFFER_BYTES)
    return stream if mode == "rb" else _io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline=newline)


def read_bytes(path, bytes_max=_WHOLE_BYTES_MAX):
    """Returns the whole file as bytes; one of more than `bytes_max` bytes is a `ValueError`."""
    with open(path) as stream:
        content = stream.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise ValueError(f"{path} has more than {bytes_max} bytes: read it piece by piece with files.open")
    return content


def read_text(path, encoding="utf-8", errors="replace", bytes_max=_WHOLE_BYTES_MAX):
    """Returns the whole file as text; one of more than `bytes_max` bytes is a `ValueError`."""
    return read_bytes(path, bytes_max).decode(encoding, errors)


class _Pieces(_io.RawIOBase):
    """A file of the host, read call by call. A reader may ask for little at a time (text asks for 8 KiB), and a run has
    a number of calls: each brings a whole piece, which serves all reads inside it."""

    def __init__(self, path):
        super().__init__()
        self.name = path
        self._at = self._piece_at = 0
        # Not an empty read: whether there is such a file should be known when it is opened.
        self._piece = _ask(_intentbox.read_file(path, 0, _PIECE_BYTES))

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
