"""The data files of the directory `data`, by the names that people use: CSV, TSV, JSON and JSON Lines, each also as
`.gz`. What is in them is read by `intentbox.tables`.

    tables.top(pack.path("Orders.csv"), "status")
"""

import sys
from datetime import timedelta, timezone

from intentbox import Invalid, NotFound, compressed, files, tables, window

# What is read at once, in bytes. Larger pieces are no faster.
PIECE_BYTES = 1 << 18

# The highest limit of a list.
LIMIT_MAX = 100

# Types of columns whose values are above and below others.
_ORDERED = ("integer", "number", "mixed", "date")

_KINDS = {"csv": "csv", "tsv": "tsv", "tab": "tsv", "json": "json", "jsonl": "jsonl", "ndjson": "jsonl"}


def kind(path):
    """Returns `csv`, `tsv`, `json` or `jsonl`, by the name of a file; None for what is no table."""
    stem, dot, ending = path.lower().removesuffix(".gz").rpartition(".")
    return _KINDS.get(ending) if dot else None


def path(name):
    """Returns the path of the file that `name` means, such as `data:2026/orders.csv`: its path in the directory, in any
    case, or the last part of it if only one file has that.

    Raises `NotFound` if no file has that name, and `Invalid` if several have.
    """
    known = [entry["path"].partition(":")[2] for entry in files.list("data:")]
    known = [path for path in known if kind(path)]
    # As scripts and people write it, with the directory before it.
    inside = name.removeprefix("data:").removeprefix("data/")
    if inside != name and name not in known:
        name = inside
    wanted = name.lower()
    for same in (
        [path for path in known if path == name],
        [path for path in known if path.lower() == wanted],
        [path for path in known if path.lower().rpartition("/")[2] == wanted],
    ):
        if len(same) == 1:
            return f"data:{same[0]}"
        if same:
            raise Invalid(f"several files are called {name}: {names(same)}", hint="name the folder as well")
    there = f"there are {names(known)}" if known else "the directory holds no data files"
    raise NotFound(f"there is no file {_short(name, 60)}{_nearest(name, known)} ({there})")


class asked:
    """What is wrong with a question or a file ends the run in one line, as `Invalid` and without a traceback.

        with pack.asked():
            result = tables.top(path, column)
    """

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        # One that says what is invalid says it better.
        if kind is not None and issubclass(kind, ValueError) and not issubclass(kind, Invalid):
            raise Invalid(str(error)) from None


def pieces(path):
    """Yields the bytes of a file of the directory, some 256 KiB at a time and unpacked; a broken `.gz` is a
    `ValueError`."""
    with files.open(f"data:{path}", "rb") as stream:
        if not path.lower().endswith(".gz"):
            while piece := stream.read(PIECE_BYTES):
                yield piece
            return
        try:
            yield from compressed.pieces(stream, "gzip", bytes_max=PIECE_BYTES)
        except compressed.Broken as error:
            raise ValueError(f"{path}: this is no sound gzip file ({error})") from None


def filters(path, where, also, period=None, date_column=None):
    """Returns what rows have to pass, as `intentbox.tables` takes it: two comparisons and a period, as far as they are given.

    For a column that is compared with nothing, which `intentbox.tables` refuses, it says on stderr what there is to compare. Raises
    `Invalid` for a number without a column: of several, none is meant more than another.
    """
    every = [where, also]
    if period is not None:
        every.append(within(path, period, date_column, where))
    every = [one for one in every if any(value is not None for value in one.values())]
    for one in every:
        if one.get("column") is not None and sum(value is not None for value in one.values()) == 1:
            _tell_values(path, one["column"])
        for side in ("above", "below"):
            if one.get("column") is None and one.get(side) is not None:
                numbers = [known["column"] for known in tables.vocabulary(path) if known["type"] in _ORDERED]
                # Nobody compares numbers that only count rows up.
                likely = sorted(numbers, key=lambda name: name.lower() == "id" or name.lower().endswith("_id"))
                example = f"{likely[0]} {side} {one[side]}" if likely else "its name"
                raise Invalid(
                    f"which column is {side} {one[side]}? numbers and dates are in {names(numbers) or 'none'}",
                    hint=f"say it with the column, such as: {example}",
                )
    return every


def tell_absent(path, filters):
    """Says on stderr what no row has, for answers of no rows: the text, or the value with those that there are."""
    for one in filters:
        column, value, text = one.get("column"), one.get("equals"), one.get("contains")
        if text is not None and (len(filters) == 1 or not tables.find(path, where=one, limit=1)["matching"]):
            where = "in any column" if column is None else f"in {column}"
            print(f'no row has the text "{_short(text, 40)}" {where}', file=sys.stderr)
        if column is None or value is None:
            continue
        # One filter alone has just been asked.
        if len(filters) == 1 or not tables.find(path, where=one, limit=1)["matching"]:
            print(f"no row has the {column} {_short(value, 40)}", file=sys.stderr)
            _tell_values(path, column)


def tell_more(shown, matching):
    """Says on stderr of how many rows some are shown, and how to see the others."""
    more = f"limit={matching} lists all" if matching <= LIMIT_MAX else f"limit={LIMIT_MAX} lists more"
    print(f"{shown} of {matching} rows ({more})", file=sys.stderr)


def _tell_values(path, column):
    """Says on stderr which texts there are in a column."""
    known = [known for known in tables.vocabulary(path) if known["column"].lower() == column.lower()]
    if known and known[0]["texts"]:
        print(f"{known[0]['column']} has {names(known[0]['texts'])}", file=sys.stderr)


def within(path, period, date_column, where):
    """Returns the filter of rows whose date lies in a period: a window such as `24h` or `2026-11-01/..`.

    The dates are those of `date_column`, of the column that `where` names and compares with nothing, which is taken out of
    it, or of the only column that holds dates.
    """
    if date_column is None and {name for name, value in where.items() if value is not None} == {"column"}:
        date_column, where["column"] = where["column"], None
    return {"column": _date_column(path, date_column), **_bounds(period)}


def _date_column(path, named):
    """Returns the column with the dates that a period is about: the one that is named, or the only one there is."""
    if named is not None:
        return named
    known = tables.vocabulary(path, texts=1)
    dates = [column["column"] for column in known if column["type"] == "date"]
    if len(dates) == 1:
        return dates[0]
    file = path.partition(":")[2]
    if dates:
        raise Invalid(f"{file}: {' and '.join(dates)} hold dates; name one with date_column")
    raise Invalid(f"{file} has no column of dates to look for a period in: {names([one['column'] for one in known])}")


def _bounds(period):
    """Returns the bounds of a period as `tables.find` takes them, which leaves them out."""
    since, until = window.bounds(period)
    bounds = {"above": since and since - timedelta(microseconds=1), "below": until}
    return {
        name: bound.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ") for name, bound in bounds.items() if bound
    }


def names(known):
    """Returns names for a message, the first twelve of them."""
    more = f" and {len(known) - 12} more" if len(known) > 12 else ""
    return ", ".join(_short(name, 40) for name in known[:12]) + more


def _short(name, chars_max):
    return name if len(name) <= chars_max else name[: chars_max - 1] + "…"


def _nearest(word, known):
    """A hint with the known name that is closest to a word, or nothing."""
    import difflib  # only for a message

    lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), lower, 1)
    return f"; did you mean {_short(lower[close[0]], 40)}?" if close else ""
