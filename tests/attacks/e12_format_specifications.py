# row: E12
# outcome: ok
# about: every combination of a format specification, for every kind of value
import datetime, decimal, fractions, itertools

values = (0, -1, 10**40, 1.5, float("nan"), float("inf"), 1j, True, "text", b"x", None, decimal.Decimal("1.5"), fractions.Fraction(1, 3), datetime.date(2026, 1, 1))
for fill, sign, alternate, width, group, precision, kind in itertools.product(("", "é<", "\ud800="), ("", "+", "z"), ("", "#"), ("", "05", "999"), ("", ",", "_"), ("", ".0", ".30"), ("", "b", "c", "d", "e", "E", "f", "G", "n", "s", "x", "%", "q")):
    spec = fill + sign + alternate + width + group + precision + kind
    for value in values[:: 3 if len(spec) > 3 else 1]:
        try:
            format(value, spec)
        except (ValueError, TypeError, OverflowError):
            pass
result = "alive"
