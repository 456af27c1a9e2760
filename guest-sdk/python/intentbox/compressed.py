"""Compressed files as streams, in bounded memory: gzip, bzip2 and xz.

    with files.open("logs:app.log.gz", "rb") as stream:
        for piece in compressed.pieces(stream, "gzip"):
            …

A file is one member or several, as `cat a.gz b.gz` makes them; zeros may fill its end up. However small its members
are, the work is in proportion to what is read and what is given.
"""

__all__ = ["Broken", "kind", "pieces"]

# Bytes of one read, and of one piece: a bomb fills no more than this at a time.
_PIECE_BYTES = 1 << 20

# What a member is given first. What lies behind its end comes back as a copy, so that a member of a few bytes must
# not be given a megabyte of those that follow; each share is twice the last one.
_FIRST_SHARE_BYTES = 256

# The memory that an xz file may ask for. `xz -9` makes files that need 65 MiB; a few forged bytes ask for 4 GiB, and
# without a bound they would end the run and not this file alone.
_XZ_BYTES_MAX = 96 << 20


class Broken(ValueError):
    """What cannot be decompressed, or ends before it should."""


def kind(start):
    """Returns how a file is compressed that starts like this: `gzip`, `bzip2`, `xz`, `zstd` or None."""
    if start.startswith(b"\x1f\x8b\x08"):
        return "gzip"
    if start.startswith(b"BZh") and start[4:10] == b"1AY&SY":
        return "bzip2"
    if start.startswith(b"\xfd7zXZ\x00"):
        return "xz"
    if start.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd"
    return None


def pieces(stream, kind, start=b"", bytes_max=_PIECE_BYTES):
    """Yields what `start` and then `stream` hold, decompressed, some `bytes_max` bytes at a time.

    Raises `Broken` where it cannot go on, and where a member has no end: a file that is being written has none yet.
    What is there of it was yielded before.
    """
    # Gathered, so that members of a byte each do not cost a step of the caller's each.
    held, failure = bytearray(), None
    try:
        for output in _outputs(stream, kind, start, bytes_max):
            held += output
            if len(held) >= bytes_max // 2:
                yield bytes(held)
                held.clear()
    except (Broken, OSError) as error:
        failure = error
    if held:
        yield bytes(held)
    if failure is not None:
        raise failure


def _outputs(stream, kind, start, bytes_max):
    if kind not in _KINDS:
        raise Broken(f"{kind} cannot be decompressed here")
    new, error = _KINDS[kind]()
    shares = _Shares(start, stream)
    share_bytes = _FIRST_SHARE_BYTES
    member, filling = None, b""
    while share := shares.take(share_bytes):
        share_bytes = min(2 * share_bytes, _PIECE_BYTES)
        if member is None:
            share = share.lstrip(filling)
            if not share:
                continue
            member = new()
        try:
            output = member.decompress(share, bytes_max)
            while output:
                yield output
                if member.eof or member.needs_input:
                    break
                output = member.decompress(b"", bytes_max)
        except (error, EOFError) as cause:
            raise Broken(str(cause)) from None
        if member.eof:
            shares.give_back(member.unused_data)
            share_bytes = _FIRST_SHARE_BYTES
            # Zeros may follow a member, but not come before the first one.
            member, filling = None, b"\0"
    if member is not None:
        raise Broken("it ends too early")


class _Shares:
    """A stream in shares of any size, whose ends can be given back. It is read in large pieces all the same."""

    def __init__(self, start, stream):
        self._piece, self._at, self._stream = start, 0, stream

    def take(self, bytes_max):
        """Returns the next bytes, and none at the end only."""
        if self._at == len(self._piece):
            self._piece, self._at = self._stream.read(_PIECE_BYTES), 0
        share = self._piece[self._at : self._at + bytes_max]
        self._at += len(share)
        return share

    def give_back(self, end):
        """Takes the end of the last share back."""
        self._at -= len(end)


def _gzip():
    import zlib

    # What `gzip` is made of. Unlike `zlib.decompressobj`, it keeps what it was given and has not used yet.
    return lambda: zlib._ZlibDecompressor(wbits=31), zlib.error


def _bzip2():
    import bz2

    return bz2.BZ2Decompressor, OSError


def _xz():
    import lzma

    return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_BYTES_MAX), lzma.LZMAError


# Each imports its module when a file needs it.
_KINDS = {"gzip": _gzip, "bzip2": _bzip2, "xz": _xz}
