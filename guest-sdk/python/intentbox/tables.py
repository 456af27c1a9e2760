"""Tables in CSV, TSV, JSON and JSON Lines: filtered, grouped and added up, of any size in bounded memory.

    tables.summarize("data:sales.csv", sum="amount", by=["country"], where=("status", "equals", "refunded"))
    tables.find("data:sales.csv", where={"column": "amount", "above": 100, "below": 200}, limit=20)["rows"]
    tables.top("data:orders.jsonl.gz", "customer.name", limit=5)["values"]
    tables.describe("data:sales.csv")["columns"]

`path` names one file, by an alias of the configuration and a path below it. The end of its name says how it is written:
`.csv`, `.tsv`, `.tab`, `.json`, `.jsonl` or `.ndjson`, with `.gz`, `.bz2` or `.xz` behind or not. It is read once. JSON
is an array of objects, an object on each line, or one object around such an array; an object inside a row has columns of
its own, such as `customer.name`. The delimiter, the encoding, and how a column writes its numbers (`1,299.99`,
`1.299,99 €`, `(5.00)`, `12%`) are recognised.

A column is named as in the file, in any case. If several have one name, they are called `amount#1` and `amount#2`; one
without a name is `column_4` by its place.

`where` chooses rows: `(column, "equals", value)`, or with `not_equals`, `contains`, `above`, `below`, `at_least` or
`at_most`, or `(column, "missing", True)`; or a dictionary of these, which all apply: `{"column": "day", "above":
"2026-01-31", "at_most": "2026-03-01"}`; or a list of up to four such tuples and dictionaries, which all apply. `equals`
takes also a list of up to twenty values, of which one applies, and `not_equals` one of which none does; a row without a
value passes `not_equals`. These and `contains` ignore case; `equals` and `contains` are about any column if none is given;
a number equals `12%` and `1,000` of its column too, and a text that no number or date of its column can equal is a
`ValueError`. Bounds are a number or a date, also as text; `above` and `below` leave the bound itself out, `at_least` and
`at_most` do not: `above="2026-01"` begins in February, and where a column holds dates, `above="2026"` with 2027; there a
year, a month or a day `equals` every time in it. `missing` is blank, `null`, or a word such as `n/a`.

Sums are exact: the digits in the file are added. What an answer leaves out is in its `left_out`, and what it takes for
granted in its `assumed`, both text and both only there if there is something to say. If more than 5 percent of a column's
values are no numbers, or of the rows have another width, there is no sum.

`ValueError` says in one sentence what is wrong with the file or the question, and begins with the file's name. A missing
file is a `FileNotFoundError`.
"""

import json as _json
from datetime import date as _date

import _intentbox
from intentbox import compressed as _compressed
from intentbox import files as _files

__all__ = ["columns", "describe", "find", "summarize", "top", "vocabulary"]

# Bytes of one read.
_PIECE_BYTES = 1 << 20

_COMPARISONS = ("equals", "not_equals", "contains", "above", "below", "at_least", "at_most", "missing")


def columns(path):
    """Returns the names of the columns, in the order of the file: a list. Only the start of the file is read.

    In JSON, the first hundred rows say which columns there are.
    """
    return _answer(path, {"columns": {}})["columns"]


def describe(path, *, columns=None, sample=20000):
    """Returns what the columns hold: `file`, `rows`, `rows_looked_at`, `columns`, and, where they are not zero,
    `columns_not_shown` and `rows_of_another_width`.

    Each of the columns is `column`, `type` (integer, number, date, boolean, text, list, object, mixed or empty),
    `missing` (of the rows looked at), `min` and `max` of numbers and dates, and `examples` (the first three, as one text).
    A number is what `summarize` reads as one, also `$1,299.99` or `12%`, and `assumed` says how where there are two ways.
    `columns` is a list of names, at most 100; without it, the first forty are described. `sample` is how many rows are
    looked at; all are counted.
    """
    return _answer(path, {"description": {"columns": list(columns or ()), "sample": sample}})


def vocabulary(path, *, rows=20000, texts=1000):
    """Returns what can be said about the table: a list of `column`, `type` as in `describe`, and `texts`.

    `texts` are the different values of a column that holds nothing but text, those of up to 60 characters, in
    alphabetical order and at most as many as the argument says (1 to 5,000). Only the first `rows` rows are read.
    """
    return _answer(path, {"vocabulary": {"rows": rows, "texts": texts}})["columns"]


def find(path, *, where=None, columns=None, limit=5, order_by=None, order=None, last=False):
    """Returns the first `limit` rows (1 to 1000), or with `last` the last ones, that match: `rows` (a list of dictionaries),
    `matching` (how many match in all), `more` (whether that is more than are shown), and, where they are not zero,
    `columns_not_shown` and `rows_of_another_width` (of those shown, in which a cell may be under the wrong column).

    Values are text in CSV and what they are in JSON, cut at 120 characters. `columns` is a list of names, at most 100;
    without it, the first twelve are shown.

    Rows come in the order of the file; with `order_by`, a column, in that of its numbers, dates or texts: `order` is
    `"descending"` (the greatest or the newest first, also without it) or `"ascending"`. Rows without such a value are last.
    `last` is about the order of the file, so that it is a `ValueError` beside `order_by`.
    """
    if order is not None and order_by is None:
        raise ValueError("order says which rows come first: name the column with order_by")
    if last and order_by is not None:
        raise ValueError("last is about the order of the file: leave it out with order_by, and say order instead")
    asked = {"columns": list(columns or ()), "limit": limit, "order_by": order_by, "order": order, "last": last or None}
    return _answer(path, {"rows": {name: value for name, value in asked.items() if value is not None}}, where)


def summarize(
    path,
    *,
    sum=None,
    mean=None,
    median=None,
    percentile=None,
    percent=None,
    min=None,
    max=None,
    by=(),
    date_column=None,
    where=None,
    order=None,
    limit=None,
):
    """Returns counts and aggregates: `file`, `columns` (the column behind each field of a group), `groups`,
    `groups_not_shown` (if not zero), and `units` of columns that have one, such as `$` or `%`.

    `sum`, `mean`, `median`, `percentile`, `min` and `max` are names of columns. Each of the groups has `rows` (how many)
    and a field of the same name for each of these, `None` without a number; beside a mean, median or percentile of fewer
    values than rows, `values` says of how many. Sums are exact, and a mean has fifteen digits. A percentile is the least
    value that `percent` (1 to 99, without it 95) of the values do not exceed, and the answer has `percent` too. A median
    and a percentile are exact but have room for 1,000,000 values.

    `by` is a column, or a list of up to two; groups then have `group` and `group_2` as text. `"day"`, `"weekday"`, `"week"`,
    `"month"`, `"quarter"` and `"year"` group by those of a date as it is written (`2026-11-30`, `Monday`, `2026-W49` of ISO
    8601, `2026-11`, `2026-Q4`, `2026`), unless a column has that name: of the only column of dates, or `date_column`. At
    most 100,000 groups are kept.

    `order` is `"descending"` (the group with the greatest value first) or `"ascending"`, by the first measure of the list
    above that was asked for, or by rows. Without it, dates are in their order and others are descending. `limit` is how
    many groups are in the answer (1 to 1000; of dates in their order the newest); without it 10, or 36 of dates.
    """
    if percent is not None and percentile is None:
        raise ValueError("percent says which percentile: name its column with percentile")
    asked = {"sum": sum, "mean": mean, "median": median, "percentile": percentile, "percent": percent, "min": min, "max": max}
    asked |= {"date_column": date_column, "order": order, "limit": limit}
    asked = {name: value for name, value in asked.items() if value is not None}
    return _answer(path, {"summary": asked | {"by": [by] if isinstance(by, str) else list(by or ())}}, where)


def top(path, column, *, where=None, limit=10):
    """Returns the `limit` (1 to 1000) most frequent values of a column: `file`, `column`, `rows` (how many match),
    `missing` (those of them without a value), `values` (a list of `value`, as text, and `rows`), and `different_values`.

    More than 100,000 different values are not counted exactly: instead of `different_values` there is
    `too_low_by_at_most`, for each count.
    """
    return _answer(path, {"top": {"column": column, "limit": limit}}, where)


def _answer(path, want, where=None):
    name = path.partition(":")[2] or path
    handle = _intentbox.table_open(_json.dumps({"file": name, "want": want, "filters": _filters(where)}))
    try:
        for piece in _pieces(path, name):
            if not _intentbox.table_feed(handle, piece):
                break
        return _json.loads(_intentbox.table_answer(handle))
    finally:
        _intentbox.table_close(handle)


def _filters(where):
    """What the rows are compared with, as the native module takes it."""
    if where is None:
        return []
    if isinstance(where, list) and not (len(where) == 3 and where[1] in _COMPARISONS):
        return [_filter(one) for one in where]
    return [_filter(where)]


def _filter(where):
    if not isinstance(where, dict):
        if not isinstance(where, (tuple, list)) or len(where) != 3 or where[1] not in _COMPARISONS:
            raise TypeError(
                f"where: expected (column, comparison, value) or a dictionary, with one of {', '.join(_COMPARISONS)}"
            )
        where = {"column": where[0], where[1]: where[2]}
    unknown = set(where) - {"column", *_COMPARISONS}
    if unknown:
        raise TypeError(f"where: expected column, {', '.join(_COMPARISONS)}, found {min(map(str, unknown))}")
    given = {name: value for name, value in where.items() if value is not None}
    return {name: value if name in ("column", "missing") else _text(value) for name, value in given.items()}


def _text(value):
    """A value as tables write it, or several."""
    if isinstance(value, (list, tuple)):
        return [_text(one) for one in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, _date) else str(value)


def _pieces(path, name):
    """The content of a file in pieces, decompressed when its first bytes say so."""
    with _files.open(path, "rb") as stream:
        piece = stream.read(_PIECE_BYTES)
        kind = _compressed.kind(piece)
        if kind is None and piece and path.lower().endswith(".gz"):
            # The message of whatever decompresses it.
            kind = "gzip"
        if kind is None:
            while piece:
                yield piece
                piece = stream.read(_PIECE_BYTES)
            return
        try:
            yield from _compressed.pieces(stream, kind, piece)
        except _compressed.Broken as error:
            raise ValueError(f"{name}: this is no sound {kind} file ({error})") from None
