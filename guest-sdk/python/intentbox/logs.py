"""Log files as records: filtered, counted and grouped, of any size in bounded memory.

    for record in logs.records("logs:app/*.log", level="error", since="24h", limit=20):
        print(record["time"], record["message"])
    logs.count("logs:", by="hour", text="timeout")
    logs.top("logs:", level="warning", limit=5)
    logs.values("logs:nginx/access.log", "ip", limit=5)

`paths` is an alias of the configuration with a folder or a glob behind it (`"logs:"`, `"logs:app/*.log"`), or a list of
those. Each line's format is detected by itself: JSON lines, logfmt, syslog, the journal (`journalctl -o json` and `-o
export`), access logs, glog, and plain text with a time or a level in front. What container runtimes write in front of a
line is taken off, and so are colours; tracebacks, causes and details stay with the record they belong to. Files that
start like gzip, bzip2 or xz are decompressed on the way.

`level` is the least severe level (`"warning"` is warnings, errors and fatal errors) or a list of exactly the levels
meant: fatal, error, warning, info, debug, trace, unknown. `text` is a text, or a list of texts that must all occur in
the record as it is written, in any case. `fields` says which values fields must have, in any case: `{"status": 503}`; their names
are those of `values`, at most four. `since` (included) and `until` (left out) are a `datetime`, ISO 8601 text, or
a duration such as `"24h"` before now. A time without a zone is UTC, here and in the logs; a record without a time has
that of the record before it in its file. A time of day without a date is no time: nothing says which day it was.

A file that was last modified before `since` is not read. Each answer has an attribute `seen`: how many `files`,
`lines`, `records` and `bytes` were read, how many records were `unparsed` (no level, time or format) or `undated` (left
out, for they have no time and a bound was set), how many lines were `cut`, how many files were `skipped` without
reading, and the paths of files and folders that are `broken`: not there any more, not readable, or not decompressed to
their end. What could be read of those is in the answer. How many records were `within` the bounds in time, how many of
those `matched`, how many of the latter are `fatal` or `requests` of an access log, whose level is that of their status
(5xx error, 4xx warning), and how many were left out as `unleveled`: they hold the texts, but show no level, and one was asked
for. `unsearched` files are those among the skipped ones that may hold more records that match.
"""

import json as _json
import re as _re
import time as _time
from datetime import datetime as _datetime
from datetime import timezone as _timezone

import _intentbox
from intentbox import compressed as _compressed
from intentbox import files as _files
from intentbox.errors import HostCallFailed as _HostCallFailed

__all__ = ["count", "files", "records", "top", "values"]

# Bytes of one read.
_PIECE_BYTES = 1 << 20
_DURATION = _re.compile(r"(\d{1,9})\s*(s|m|h|d|w)")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
# Times without a zone are read as UTC, and may be this much ahead of a file's modification.
_ZONE_S_MAX = 14 * 3600


class Records(list):
    """Records, the oldest first: `time` (RFC 3339 or `None`), `level`, `message`, `file`, `line`, and, where there are
    any, `fields` and `cut`. `seen` says what was looked at."""

    seen = None


class Counts(dict):
    """Key → number of records. `seen` says what was looked at."""

    seen = None


class Messages(list):
    """Frequent messages: `count`, `level`, `pattern` (what all of them say), `message` (the first one), `first` and `last` (times
    or `None`).

    `exact` is false when there were so many distinct messages that counts may be too high. `distinct` counts the patterns, and
    `seen` says what was looked at."""

    exact = True
    distinct = 0
    seen = None


class Values(list):
    """Frequent values of a field: `value` and `count`.

    `without` says how many records have no such field, `fields` names some that the first thousand records have, and
    `distinct`, `exact` and `seen` are as those of `Messages`."""

    without = 0
    fields = ()
    exact = True
    distinct = 0
    seen = None


def files(paths="logs:"):
    """Returns the files that `paths` means: `path`, `bytes` and `modified` (seconds since 1970), sorted by path."""
    return _found(paths, _files.list)[0]


def _found(paths, list_files):
    """The files that `paths` means, and the folders among them that were not read."""
    found, unread = {}, set()
    for path in [paths] if isinstance(paths, str) else paths:
        listing = list_files(path)
        found.update((entry["path"], entry) for entry in listing)
        unread.update(listing.unread)
    return [found[path] for path in sorted(found)], sorted(unread)


def records(paths="logs:", *, level=None, text=None, fields=None, since=None, until=None, limit=100, newest=True):
    """Returns at most `limit` records (1 to 1000) that match: the newest ones by their times, in the order of those, or
    with `newest=False` the first ones, file by file in the order of the paths.

    For the newest ones, files are read from the most recently modified on, and no further than records can be newer.
    """
    query = _query({"records": {"limit": limit, "newest": newest}}, level, text, fields, since, until)
    entries, seen = _chosen(paths, query)
    if newest:
        entries.sort(key=lambda entry: entry["modified"], reverse=True)
    kept = []
    for rank, entry in enumerate(entries):
        if len(kept) == limit and (not newest or kept[0][0] > _iso(entry["modified"] + _ZONE_S_MAX)):
            seen["skipped"] += len(entries) - rank
            seen["unsearched"] = len(entries) - rank
            break
        answer = _scan(query, [entry], seen)
        moment = ""
        for number, record in enumerate(answer["records"]):
            moment = record["time"] or moment
            kept.append((moment, -rank, number, record))
        if newest:
            # The number decides before the records, which do not compare.
            kept = sorted(kept)[-limit:]
        else:
            kept = kept[:limit]
    result = Records(record for *_, record in kept)
    result.seen = seen
    return result


def count(paths="logs:", *, by="level", level=None, text=None, fields=None, since=None, until=None):
    """Returns how many records match, by `"level"`, `"file"`, `"hour"`, `"day"` or `"minute"`: a `Counts`.

    Levels come from the most severe on, files by name, spans of time in their order and in UTC. Records without a time
    count as `unknown`.
    """
    query = _query({"counts": {"by": by}}, level, text, fields, since, until)
    entries, seen = _chosen(paths, query)
    result = Counts(_scan(query, entries, seen)["counts"])
    result.seen = seen
    return result


def top(paths="logs:", *, limit=10, level=None, text=None, fields=None, since=None, until=None):
    """Returns the `limit` (1 to 1000) most frequent messages of the records that match, as `Messages`.

    Messages are the same when they differ in numbers, ids and quoted values only. Each has its `pattern`, in which `#` and
    `*` stand for those, and as `message` the first that fits. `distinct` of the answer counts the patterns.
    """
    query = _query({"top": {"limit": limit}}, level, text, fields, since, until)
    entries, seen = _chosen(paths, query)
    answer = _scan(query, entries, seen)
    result = Messages(answer["top"])
    result.exact, result.distinct, result.seen = answer["exact"], answer["distinct"], seen
    return result


def values(paths="logs:", field=None, *, limit=10, level=None, text=None, fields=None, since=None, until=None):
    """Returns the `limit` (1 to 1000) most frequent values of a field of the records that match, as `Values`.

    A field is one of JSON or logfmt (`provider`, `http.status`), `client`, `method`, `path` and `status` of an access log,
    `host` and `program` of syslog, or what a line of text writes as `name=value`; `ip` is in any text its first IPv4
    address, and `exception` the class that a traceback names. Names count in any case, and these under other usual names too: `ip`, `url`, `status_code`, `hostname`, `app`.
    """
    if field is None:
        raise TypeError("values: name the field, such as 'ip'")
    query = _query({"values": {"field": field, "limit": limit}}, level, text, fields, since, until)
    entries, seen = _chosen(paths, query)
    answer = _scan(query, entries, seen)
    result = Values({"value": value, "count": count} for value, count in answer["values"])
    result.without, result.fields, result.exact = answer["without"], answer["fields"], answer["exact"]
    result.distinct, result.seen = answer["distinct"], seen
    return result


def _query(want, level, text, fields, since, until):
    now_s = _time.time()
    query = {"want": want, "now_ms": int(now_s * 1000)}
    if isinstance(level, str):
        query["levels"] = {"at_least": level}
    elif level is not None:
        query["levels"] = {"exactly": list(level)}
    if text is not None:
        query["text"] = [text] if isinstance(text, str) else list(text)
    if fields:
        query["fields"] = {name: str(value) for name, value in fields.items()}
    if since is not None:
        query["since_ms"] = _moment_ms(since, now_s, "since")
    if until is not None:
        query["until_ms"] = _moment_ms(until, now_s, "until")
    return query


def _moment_ms(moment, now_s, name):
    if isinstance(moment, str):
        duration = _DURATION.fullmatch(moment.strip().lower())
        if duration:
            return int((now_s - int(duration[1]) * _UNIT_S[duration[2]]) * 1000)
        try:
            moment = _datetime.fromisoformat(moment.strip())
        except ValueError:
            raise ValueError(
                f"{name}: expected a time like '2026-11-20T09:00:00Z' or a duration like '24h', found {moment!r}"
            ) from None
    if not isinstance(moment, _datetime):
        raise TypeError(f"{name}: expected text or a datetime, found {type(moment).__name__}")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=_timezone.utc)
    # Not `timestamp()`: whole milliseconds, without a float between.
    since_1970 = moment - _datetime(1970, 1, 1, tzinfo=_timezone.utc)
    return (since_1970.days * 86400 + since_1970.seconds) * 1000 + since_1970.microseconds // 1000


def _iso(seconds):
    """Seconds since 1970 as the answers write times, so that text compares like time."""
    moment = _datetime.fromtimestamp(max(0, min(seconds, 253402300799)), _timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + ".999Z"


def _chosen(paths, query):
    """The files to read, and a `seen` that counts those that are too old for it."""
    since_s = query.get("since_ms", float("-inf")) / 1000
    found, unread = _found(paths, _files._found)
    chosen = [entry for entry in found if entry["modified"] >= since_s]
    names = "files lines records bytes unparsed undated within unleveled matched fatal requests cut unsearched"
    counters = dict.fromkeys(names.split(), 0)
    return chosen, {**counters, "skipped": len(found) - len(chosen), "broken": unread}


def _scan(query, entries, seen):
    handle = _intentbox.scan_open(_json.dumps(query))
    try:
        for entry in entries:
            _intentbox.scan_begin_file(handle, entry["path"])
            for piece in _pieces(entry["path"], seen["broken"]):
                _intentbox.scan_feed(handle, piece)
            _intentbox.scan_end_file(handle)
    except BaseException:
        # Closes the scan. What it found so far is not the answer.
        _intentbox.scan_answer(handle)
        raise
    answer = _json.loads(_intentbox.scan_answer(handle))
    for name, value in answer["seen"].items():
        seen[name] = seen.get(name, 0) + value
    return answer


def _pieces(path, broken):
    """The content of a file in pieces, decompressed when its first bytes say so.

    A file may be gone since it was listed, be kept back by the system or be cut short. That says nothing about the
    others: what is there of it counts, and its path goes to `broken`. A refusal or a limit ends the answer.
    """
    try:
        with _files.open(path, "rb") as stream:
            piece = stream.read(_PIECE_BYTES)
            if kind := _compressed.kind(piece):
                yield from _compressed.pieces(stream, kind, piece)
                return
            while piece:
                yield piece
                piece = stream.read(_PIECE_BYTES)
    except (FileNotFoundError, _HostCallFailed, _compressed.Broken):
        broken.append(path)
