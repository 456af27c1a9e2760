"""Windows of time, as values of the parameter type `window`: `24h`, or `2026-11-21T00:00:00Z/2026-11-22T00:00:00Z`.

    since, until = window.bounds(period)
    logs.records("logs:", since=since, until=until)

A period counts back from now. An interval includes its start and leaves out its end; `..` leaves a side open.
"""

import re as _re
from datetime import datetime as _datetime
from datetime import timedelta as _timedelta
from datetime import timezone as _timezone

__all__ = ["bounds"]

_PERIOD = _re.compile(r"([0-9]{1,9})(s|m|h|d|w)")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def bounds(text):
    """Returns `(since, until)` of a window: each an aware `datetime`, or `None` where the window is open.

    `None`, the value of a parameter that was not given, is open on both sides. A time without a zone is UTC. Text that is
    no window raises `ValueError`, and so does an interval that ends before it starts.
    """
    if text is None:
        return None, None
    if not isinstance(text, str):
        raise TypeError(f"expected the text of a window, found {type(text).__name__}")
    period = _PERIOD.fullmatch(text)
    if period:
        try:
            return _datetime.now(_timezone.utc) - _timedelta(seconds=int(period[1]) * _UNIT_S[period[2]]), None
        except OverflowError:
            raise ValueError(f"expected a period that starts after the year 0, found {text!r}") from None
    start, slash, end = text.partition("/")
    if not slash:
        raise _invalid(text)
    since, until = _side(start, text), _side(end, text)
    if since is not None and until is not None and until < since:
        raise ValueError(f"expected an interval that ends after it starts, found {text!r}")
    return since, until


def _side(side, text):
    if side == "..":
        return None
    try:
        moment = _datetime.fromisoformat(side)
    except ValueError:
        raise _invalid(text) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=_timezone.utc)


def _invalid(text):
    return ValueError(
        f"expected a window like '24h' or '2026-11-21T00:00:00Z/2026-11-22T00:00:00Z', found {text[:200]!r}"
    )
