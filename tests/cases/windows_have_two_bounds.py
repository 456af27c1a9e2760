# outcome: ok
# result: [[null,null],[null,null],["2026-11-21T00:00:00+00:00","2026-11-22T00:00:00+00:00"],["2026-11-21T00:00:00+00:00",null],[null,"2026-11-21T23:00:00+00:00"],["2026-11-21T00:00:00+00:00","2026-11-21T00:00:00+00:00"],["2026-11-21T00:00:00+00:00",null]]

# Both sides of a window are times with a zone, or open.
from datetime import datetime, timedelta, timezone

from intentbox import window


def shown(text):
    bounds = [bound and bound.astimezone(timezone.utc) for bound in window.bounds(text)]
    return [bound and bound.isoformat() for bound in bounds]


def reason(text, kind=ValueError):
    try:
        return window.bounds(text)
    except kind as error:
        return str(error)


# A period counts back from the moment of the call.
for text, length in [
    ("0s", timedelta()),
    ("90s", timedelta(seconds=90)),
    ("15m", timedelta(minutes=15)),
    ("24h", timedelta(days=1)),
    ("14d", timedelta(days=14)),
    ("2w", timedelta(days=14)),
]:
    before = datetime.now(timezone.utc)
    since, until = window.bounds(text)
    assert until is None and before - length <= since <= datetime.now(timezone.utc) - length, (text, since)

invalid = "expected a window like '24h' or '2026-11-21T00:00:00Z/2026-11-22T00:00:00Z', found "
for text in ["", "24", "h", "24 h", "-1h", "1h/", "/", "../", "a/b", "2026-11-21T00:00:00Z", "2026-11-21T00:00:00Z/../.."]:
    assert reason(text) == invalid + repr(text), text
backwards = "2026-11-22T00:00:00Z/2026-11-21T23:59:59Z"
assert reason(backwards) == f"expected an interval that ends after it starts, found {backwards!r}"
assert reason("999999999w") == "expected a period that starts after the year 0, found '999999999w'"
assert reason(24, TypeError) == "expected the text of a window, found int"

result = [
    shown(text)
    for text in [
        None,
        "../..",
        "2026-11-21T00:00:00Z/2026-11-22T00:00:00Z",
        "2026-11-21T00:00:00Z/..",
        "../2026-11-22T00:00:00+01:00",
        "2026-11-21T00:00:00Z/2026-11-21T00:00:00Z",
        "2026-11-21T00:00:00/..",
    ]
]
