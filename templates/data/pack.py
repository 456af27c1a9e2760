"""The data files of the directory `data`, by the names that people use: CSV, TSV, JSON and JSON Lines, each also as
`.gz`. What is in them is read by `intentbox.tables`.

    tables.top(pack.path("Orders.csv"), "status")
"""

import sys
from datetime import timezone

from intentbox import Invalid, NotFound, compressed, files, tables, window

# What dates are grouped by.
CALENDAR = ("day", "weekday", "week", "month", "quarter", "year")

# What is read at once, in bytes. Larger pieces are no faster.
PIECE_BYTES = 1 << 18

# The highest limit of a list, and that of groups.
LIMIT_MAX = 100
GROUPS_MAX = 1000

# Types of columns whose values are above and below others.
_NUMBERS = ("integer", "number", "mixed")
_ORDERED = (*_NUMBERS, "date")

# What begins the names of the parts of a second and a third comparison.
_FURTHER = ("and_", "third_")

_BOUNDS = ("above", "below", "at_least", "at_most")

# Comparisons in words.
_COMPARED = {"equals": "is", "not_equals": "is not", "contains": "contains"} | {
    side: f"is {side.replace('_', ' ')}" for side in _BOUNDS
}

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


def filters(path, where, period=None, dates=None):
    """Returns what rows have to pass, as `intentbox.tables` takes it: the comparisons and the period, as far as they are given.

    `where` holds the parts of up to three comparisons, those of the second as `and_column` and so on, and of the third as
    `third_column`. `or_equals` are values that are as good as that of `equals`. What is compared is said on
    stderr, and so is what there is to compare for a column that is compared with nothing, which `intentbox.tables` refuses.
    Raises `Invalid` for a number without a column: of several, none is meant more than another.
    """
    first = {name: value for name, value in where.items() if not name.startswith(_FURTHER)}
    others = first.pop("or_equals")
    if others:
        first["equals"] = others if first["equals"] is None else [first["equals"], *others]
    further = (
        {name.removeprefix(prefix): value for name, value in where.items() if name.startswith(prefix)}
        for prefix in _FURTHER
    )
    every = [first, *further]
    if period is not None:
        every.append(within(path, period, dates, first))
    every = [one for one in every if any(value is not None for value in one.values())]
    every = [part for one in every for part in _apart(path, one)]
    for one in every:
        if one.get("column") is not None and sum(value is not None for value in one.values()) == 1:
            _tell_values(path, one["column"])
        for side in _BOUNDS:
            if one.get("column") is None and one.get(side) is not None:
                what, kinds = ("dates", ("date",)) if "-" in one[side][1:] else ("numbers", _NUMBERS)
                numbers = [known["column"] for known in tables.vocabulary(path) if known["type"] in kinds]
                # Nobody compares numbers that only count rows up.
                likely = sorted(numbers, key=_is_id)
                if sum(not _is_id(name) for name in likely) == 1:
                    one["column"] = likely[0]
                    continue
                words = side.replace("_", " ")
                example = f"{likely[0]} {words} {one[side]}" if likely else "its name"
                raise Invalid(
                    f"which column is {words} {one[side]}? {what} are in {names(numbers) or 'none'}",
                    hint=f"say it with the column, such as: {example}",
                )
    told = [text for one in (every if period is None else every[:-1]) for text in _told(one)]
    if told:
        print(f"only rows where {' and '.join(told)}", file=sys.stderr)
    return every


def _quoted(text):
    """A text in quotes, where it would read as a part of what is around it."""
    words = text.lower().split()
    return f'"{text}"' if {"and", "not", "or"} & set(words) or not words else text


def _is_id(name):
    return name.lower() == "id" or name.lower().endswith(("_id", "_no"))


def _apart(path, one):
    """Yields a comparison, and its bounds by themselves if its column has no numbers or dates: in "over 500 and not paid" the
    number is not about the column `paid`."""
    bounds = {side: one[side] for side in _BOUNDS if one.get(side) is not None}
    others = {name: value for name, value in one.items() if name not in _BOUNDS and value is not None}
    if one.get("column") is not None and bounds and len(others) > 1:
        kinds = {known["column"].lower(): known["type"] for known in tables.vocabulary(path)}
        if kinds.get(one["column"].lower(), "date") not in _ORDERED:
            yield {"column": None} | bounds
            yield others
            return
    yield one


def _told(one):
    """Yields what a comparison asks for, in words."""
    column = "any column" if one.get("column") is None else one["column"]
    for name, words in _COMPARED.items():
        value = one.get(name)
        if value is not None:
            texts = [_short(str(text), 40) for text in (value if isinstance(value, list) else [value])]
            yield f"{column} {words} {' or '.join(map(_quoted, texts))}"
    if one.get("missing") is not None:
        yield f"{column} has {'no' if one['missing'] else 'a'} value"


def tell_absent(path, filters):
    """Says on stderr what no row has, for answers of no rows: the text, or the value with those that there are."""
    for one in filters:
        column, value, text = one.get("column"), one.get("equals"), one.get("contains")
        value = value[0] if isinstance(value, list) else value
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
    _tell_part(shown, matching, LIMIT_MAX, "rows")


def numbers(path):
    """Returns the names of the columns of numbers, those that only count rows up last."""
    return sorted((known["column"] for known in tables.vocabulary(path, texts=1) if known["type"] in _NUMBERS), key=_is_id)


def tell_values(shown, different):
    """Says on stderr of how many values some are shown, and how to see the others."""
    if different is not None and shown < different:
        _tell_part(shown, different, LIMIT_MAX, "values")


def tell_groups(shown, not_shown):
    """Says on stderr of how many groups some are shown, and how to see the others."""
    _tell_part(shown, shown + not_shown, GROUPS_MAX, "groups")


def _tell_part(shown, of, most, what):
    more = f"limit={of} lists all" if of <= most else f"limit={most} lists more"
    if shown < min(of, most):
        print(f"{shown} of {of} {what} ({more})", file=sys.stderr)
    else:
        print(f"{shown} of {of} {what}, the most that are listed", file=sys.stderr)


def _tell_values(path, column):
    """Says on stderr which texts there are in a column."""
    known = [known for known in tables.vocabulary(path) if known["column"].lower() == column.lower()]
    if known and known[0]["texts"]:
        print(f"{known[0]['column']} has {names(known[0]['texts'])}", file=sys.stderr)


def within(path, period, named, where):
    """Returns the filter of rows whose date lies in a period: a window such as `24h` or `2026-11-01/..`.

    The dates are those of `date_column`, of the column that `where` names and compares with nothing, which is taken out of
    it, or of the only column that holds dates.
    """
    if named is None and {name for name, value in where.items() if value is not None} == {"column"}:
        named, where["column"] = where["column"], None
    return {"column": date_column(path, named), **_bounds(period)}


def is_calendar(path, name):
    """Whether groups are made by days, weeks or the like of a date, and not by a column of that name."""
    return name.lower() in CALENDAR and name.lower() not in map(str.lower, tables.columns(path))


def date_column(path, named=None):
    """Returns the column with the dates that a question is about: the one that is named, the only one there is, or the
    only one in which no row lacks a date, as far as `intentbox.tables.describe` looks, which is said on stderr."""
    if named is not None:
        return named
    known = tables.vocabulary(path, texts=1)
    dates = [column["column"] for column in known if column["type"] == "date"]
    if len(dates) == 1:
        return dates[0]
    file = path.partition(":")[2]
    if not dates:
        raise Invalid(f"{file} has no column of dates such as 2026-11-30: {names([one['column'] for one in known])}")
    # An order is always placed at some time, and not always paid.
    described = tables.describe(path, columns=dates[:100])
    whole = [column["column"] for column in described["columns"] if not column["missing"]]
    if len(whole) == 1:
        others = [name for name in dates if name != whole[0]]
        looked_at = described["rows_looked_at"]
        rows = "every row has" if looked_at == described["rows"] else f"the first {looked_at} rows have"
        other = "the other" if len(others) == 1 else "that one"
        print(f"dates of {whole[0]}, which {rows}; by date {others[0]} takes {other}", file=sys.stderr)
        return whole[0]
    raise Invalid(
        f"{file}: which dates are meant? {names(dates)} hold some",
        hint=f"say it behind the question, such as: by date {dates[0]}",
    )


def _bounds(period):
    """Returns the bounds of a period as `tables.find` takes them: the first is in it, and the other is not."""
    since, until = window.bounds(period)
    bounds = {"at_least": since, "below": until}
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
