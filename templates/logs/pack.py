"""What answers about logs have in common: how records are shown, and what is told of what is missing."""

import re
import sys
from datetime import datetime

from intentbox import NotFound, files, logs

# So many names of files say which ones are meant.
NAMES_SHOWN = 3

# So many names say what there is instead of a file that is not there.
FILES_SHOWN = 12

# The most characters of a message in a list, and of those what is kept for the error at its end.
MESSAGE_CHARS_MAX = 160
ERROR_CHARS_MAX = 100

# The most characters of a record with all its lines.
TRACE_CHARS_MAX = 4000

# The highest limit of a list.
LIMIT_MAX = 100

# How many records are looked at for those of one level, and of each file for the oldest: as many as one question to the logs gives.
NEWEST_MAX = 1000

# How people call files that end in `.gz`.
COMPRESSED = ("gz", "gzip", "gzipped", "compressed", "zipped")

# What a file is called behind its name when it was put aside: `app.log.1`, `app.log.2.gz`, `app.log-20261126`.
ROTATED = re.compile(r"[.-]\d+(\.(gz|bz2|xz))?")

# A status code of HTTP.
STATUS = re.compile(r"[1-5]\d\d")

# How lines of access logs are shown: `500 GET /login`.
STATUS_FIRST = re.compile(r"[1-5]\d\d [A-Z]+ /")

# How records of a level are called.
CALLED = {
    "fatal": "fatal errors",
    "error": "errors",
    "warning": "warnings",
    "info": "info records",
    "debug": "debug records",
    "trace": "trace records",
}

# The levels, the most severe first.
LEVELS = tuple(CALLED)


def paths(name):
    """Returns what the parameter `file` means, as `intentbox.logs` takes it: all files where it is nothing.

    A pattern without a folder, such as `*.gz`, is about the files of all folders, and so is `gz`, unless something has
    that name. Raises `NotFound` where a pattern matches no file: an empty answer would look like a file without errors.
    """
    if name is None:
        return "logs:"
    name = named(name)
    if name.lower() in COMPRESSED and not _exists(name):
        name = "*.gz"
    if "*" not in name and "?" not in name:
        return f"logs:{name}"
    pattern = f"logs:{name}" if "/" in name else f"logs:**/{name}"
    if not files.list(pattern):
        raise NotFound(f"no file matches {cut(name, MESSAGE_CHARS_MAX)} ({_there()})")
    return pattern


class asked:
    """A file that is not there ends the run in one line, as `NotFound` and without a traceback.

        with pack.asked(file):
            found = logs.records(pack.paths(file))
    """

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None or not issubclass(kind, FileNotFoundError):
            return
        raise NotFound(f"there is no file or folder {short(file(self.file))} ({_there()})") from None


def tell(seen, level=None, shown=None, text=None, within=None):
    """Tells on stderr what an answer with this `seen` does not hold: no answer looks whole when it is not.

    `level` is the level that was asked for, `shown` the number of records in the answer, and `text` what was looked
    for, a text or several. Without them, nothing is told of records without a level, of records that are not shown, and of
    a text that is not found. `within` is the file and the bounds of the time that was asked for: where nothing at all was written in
    that time, the answer says so, and when something was. Raises `NotFound` where no record holds both of two texts.
    """
    if within is not None and within[1] is not None:
        _tell_rotated(*within)
    if within is not None and within[1:] != (None, None) and not seen["within"]:
        latest = logs.records(paths(within[0]), limit=1)
        when = f"; the latest is of {second(latest[0]['time'])}" if latest and latest[0]["time"] else ""
        print(f"no records at all in this time, of any level{when}", file=sys.stderr)
    texts = [text] if isinstance(text, str) else text or []
    called = " and ".join(f'"{cut(text, ERROR_CHARS_MAX)}"' for text in texts)
    # A list shows the texts of its records.
    if texts and shown is None and seen["matched"]:
        print(f"of records with {called}", file=sys.stderr)
    if seen["matched"] and any(map(str.isdigit, texts)):
        print(f"{called} counts anywhere in a record, also within longer numbers", file=sys.stderr)
    if texts and not seen["matched"]:
        print(f"nothing found for {called}", file=sys.stderr)
        text = texts[0]
        if len(texts) == 1 and text.endswith("s") and text[:-1].isalpha() and len(text) > 3:
            print(f'look for "{cut(text[:-1], ERROR_CHARS_MAX)}" instead?', file=sys.stderr)
        # Words of the question may have been taken for a part of it.
        told = [word for word in text.split() if len(word) > 3 and any(map(str.isdigit, word)) and word != text]
        if told:
            print(f'look for "{cut(max(told, key=len), ERROR_CHARS_MAX)}" alone?', file=sys.stderr)
        if STATUS_FIRST.match(text):
            print(f'a status stands behind the path in such logs: look for "{cut(text[4:], ERROR_CHARS_MAX)}"', file=sys.stderr)
        if text.startswith("/"):
            # It may have been meant as a file.
            print("a path that begins with / is searched as a text; name files as the answers do", file=sys.stderr)
    broken = sorted(seen["broken"])
    if broken:
        more = f" and {len(broken) - NAMES_SHOWN} more" if len(broken) > NAMES_SHOWN else ""
        names = ", ".join(file(path)[:100] for path in broken[:NAMES_SHOWN])
        print(f"not read to the end: {names}{more}", file=sys.stderr)
    if seen["undated"]:
        print(f"records left out, without a time: {seen['undated']}", file=sys.stderr)
    if level is not None and seen["unleveled"]:
        print(
            f"{seen['unleveled']} of {seen['within']} records have no level: {CALLED[level]} among them are not found",
            file=sys.stderr,
        )
    if shown is not None:
        unsearched, matched = seen["unsearched"], seen["matched"]
        if unsearched:
            print(
                f"{shown} of at least {matched} records (a higher limit lists more); files not searched, older: {unsearched}",
                file=sys.stderr,
            )
        elif shown < matched:
            above = "" if level in (None, "error", "fatal") else f" that are {level} or more severe"
            print(f"{shown} of {matched} records{above} ({limits(matched)})", file=sys.stderr)
    # Nobody said that one record must hold both.
    if len(texts) > 1 and not seen["matched"]:
        raise NotFound(f"no record that was asked for holds both {called}: ask for one of them alone")


def both(text, also):
    """Returns the texts that records must hold, as `intentbox.logs` takes them; nothing without any."""
    return [part for part in (text, also) if part is not None] or None


def levels(level, at_least):
    """Returns the level that was asked for as `intentbox.logs` takes it.

    A text is the least severe level that counts, and a list has the levels that count. A fatal error is an error, as in a
    list of them, unless `at_least` says otherwise: "how many errors" and "list errors" say one number.
    """
    if level is None or at_least:
        return level
    return ["fatal", "error"] if level == "error" and at_least is None else [level]


def status(texts, paths, since, until):
    """Returns what people call the texts, and how `intentbox.logs` is asked for them: `text` and `fields`. A status code is that of a
    record, and not any number in it, if some record has it as its status."""
    said, needles, fields = list(texts or []), [], {}
    for at, text in enumerate(said):
        asked = {"status": text}
        is_status = STATUS.fullmatch(text) and not fields
        if is_status and any(logs.count(paths, fields=asked, since=since, until=until).values()):
            fields, said[at] = asked, f"status {text}"
        else:
            needles.append(text)
    return said or None, {"text": needles or None, "fields": fields}


def tell_worse(found, level):
    """Tells on stderr how many of the records are more severe than the level that was asked for: it counts with those above it."""
    worse = 0 if level in (None, "error") else sum(record["level"] in LEVELS[: LEVELS.index(level)] for record in found)
    if worse:
        print(f"more severe than {level}: {worse} of the {len(found)} shown", file=sys.stderr)


def of_level(level, name, texts, asked, since, until, limit):
    """Returns the newest records of this very level, at most `limit`, and tells on stderr of how many.

    They are looked for among the newest `NEWEST_MAX` that are at least as severe. Where there are more, it tells that older
    ones may be missing.
    """
    found = logs.records(paths(name), level=level, **asked, since=since, until=until, limit=NEWEST_MAX)
    tell(found.seen, level, text=texts, within=(name, since, until))
    rows = [record for record in found if record["level"] == level]
    if len(rows) > limit:
        note(f"{limit} of {len(rows)} records ({limits(len(rows))})")
    if found.seen["matched"] > len(found) or found.seen["unsearched"]:
        note(f"looked at the newest {NEWEST_MAX} records that are at least as severe as {level}: older ones are not shown")
    return rows[-limit:]


def oldest(paths, *, limit, **asked):
    """Returns the oldest records that match, as `logs.records` does the newest: by their times, of the first `NEWEST_MAX` that match
    in each file."""
    found, seen = [], None
    for entry in logs.files(paths):
        # Lines of a file are nearly in the order of their times.
        records = logs.records(entry["path"], newest=False, limit=NEWEST_MAX, **asked)
        found.extend(records)
        if seen is None:
            seen = records.seen
        else:
            for name, value in records.seen.items():
                seen[name] += value
    if seen is None:
        return logs.records(paths, limit=limit, **asked)
    found.sort(key=lambda record: (record["time"] is None, record["time"] or ""))
    result = logs.Records(found[:limit])
    result.seen = seen
    return result


def limits(count, limit_max=LIMIT_MAX):
    """Says how all of so many are listed, or as many as can be."""
    return f"limit={count} lists all" if count <= limit_max else f"limit={limit_max} lists more"


def note(text):
    """Tells something about an answer that it does not say itself."""
    print(text, file=sys.stderr)


def file(path):
    """A path as the parameter `file` takes it."""
    return path.removeprefix("logs:")


def named(name):
    """The same of what somebody typed, who may have written the directory before it."""
    inside = file(name)
    return inside.removeprefix("logs/") if inside.startswith("logs/") and not _exists(inside) else inside


def row(record):
    """A record as a row of a list."""
    return {
        "time": second(record["time"]),
        "level": record["level"],
        "file": file(record["file"]),
        "message": short(record["message"]),
    }


def second(time):
    """A time without its fraction."""
    return time and time[:19] + "Z"


def short(message):
    """The first line, and the error at the end: of a traceback its last line, of Java the class and the root cause."""
    lines = [line for line in message.split("\n") if line.strip()]
    text = lines[0].strip() if lines else ""
    error = _error(lines[1:])
    if not error:
        return cut(text, MESSAGE_CHARS_MAX)
    room = MESSAGE_CHARS_MAX - len(text) - len(" … ")
    error = cut(error, max(room, ERROR_CHARS_MAX))
    return f"{cut(text, MESSAGE_CHARS_MAX - len(' … ') - len(error))} … {error}"


def lines(message):
    """Returns the lines of a message up to the most that are shown of one, the end of it first: that names the error."""
    if len(message) <= TRACE_CHARS_MAX:
        return message
    end = message[-TRACE_CHARS_MAX // 2 :]
    start = message[: TRACE_CHARS_MAX - len(end) - 3]
    return f"{start}\n…\n{end}"


def cut(text, chars_max):
    """A text that has at most so many characters."""
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def _tell_rotated(name, since, until):
    """Tells where a file begins only after the time that is asked for, and the files with its older records are not read."""
    if name is None or "*" in name or "?" in name:
        return
    own = named(name)
    known = [file(entry["path"]) for entry in files.list("logs:")]
    rotated = [path for path in known if ROTATED.fullmatch(path.removeprefix(own)) and path.startswith(own)]
    if own not in known or not rotated:
        return
    first = logs.records(f"logs:{own}", limit=1, newest=False)
    if not len(first) or not first[0]["time"]:
        return
    begins = datetime.fromisoformat(first[0]["time"].replace("Z", "+00:00"))
    if begins > since and (until is None or begins < until):
        print(
            f"{own} begins at {second(first[0]['time'])}; what is older is in {rotated[0]}: file={own}* reads both",
            file=sys.stderr,
        )


def _exists(name):
    """Whether a file or a folder has this name."""
    known = [file(entry["path"]) for entry in files.list("logs:")]
    return any(path == name or path.startswith(f"{name}/") for path in known)


def _there():
    """The first names of the directory, for a message."""
    known = [file(entry["path"]) for entry in files.list("logs:")]
    if not known:
        return "the directory holds no files"
    more = f" and {len(known) - FILES_SHOWN} more" if len(known) > FILES_SHOWN else ""
    return f"there are {', '.join(cut(name, ERROR_CHARS_MAX) for name in known[:FILES_SHOWN])}{more}"


def _error(lines):
    """What went wrong, as the lines behind the first one of a message say; nothing if they do not."""
    # Frames are indented. The rest is no error: Rust's advice, and brackets of what was printed over many lines.
    named = [line for line in lines if not line[0].isspace() and not line.startswith(("note: ", "stack backtrace:"))]
    named = [line.strip() for line in named if any(map(str.isalnum, line))]
    if not named:
        return ""
    causes = [line for line in named if line.startswith("Caused by: ")]
    if not causes:
        return named[-1]
    if named[0] in causes:
        return causes[-1]
    kind, colon, _ = named[0].partition(": ")
    return f"{kind if colon and ' ' not in kind else named[0]} … {causes[-1]}"
