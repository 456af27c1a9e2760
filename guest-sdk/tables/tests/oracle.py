"""Writes tables in many notations with questions to them, and checks the answers against CPython.

    python3 oracle.py write FOLDER COUNT     files, and `N.query.json` for each
    python3 oracle.py check FOLDER           compares `N.answer.json` with what csv, json, decimal and statistics say

A table is made of rows as Python values first, so that what it holds is known however it is written.
"""

import csv
import io
import json
import operator
import pathlib
import random
import statistics
import sys
from datetime import date, timedelta
from decimal import Decimal

NAMES = ["Norway", "Sweden", "Côte d'Ivoire", "a,b;c\td|e", 'says "yes"', "two\nlines", "Łódź", "x" * 300, "5\"", "0", ""]
MISSING = ["", "n/a", "NULL", "-", " "]
# A column is called `day`.
CUTS = {
    "weekday": lambda day: day.strftime("%A"),
    "week": lambda day: day.strftime("%G-W%V"),
    "month": lambda day: day.strftime("%Y-%m"),
    "quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    "year": lambda day: day.strftime("%Y"),
}
BOUNDS = {"above", "below", "at_least", "at_most"}
WRONG = ["soon", "12 or 13", "1,2,3"]


def grouped(digits, mark):
    """Digits in thousands."""
    head = len(digits) % 3 or 3
    return mark.join([digits[:head], *(digits[at : at + 3] for at in range(head, len(digits), 3))])


def notations():
    """Ways to write a number, as (function, usual decimal comma)."""

    def of(point, thousands, before="", behind="", negative="-{}"):
        def written(amount):
            whole, _, decimals = str(abs(amount)).partition(".")
            text = before + (grouped(whole, thousands) if thousands else whole) + (point + decimals if decimals else "") + behind
            return negative.format(text) if amount < 0 else text

        return written

    return [
        (of(".", ""), False),
        (of(",", ""), True),
        (of(".", ","), False),
        (of(",", "."), True),
        (of(".", ",", "$", negative="({})"), False),
        (of(".", ",", "US$ "), False),
        (of(",", "\u00a0", behind=" €"), True),
        (of(",", " ", behind="kr"), True),
        (of(".", "'", "CHF "), False),
        (of(".", "", behind="%"), False),
        (of(",", "", behind=" %"), True),
        (of(".", "", negative="\u2212{}"), False),
    ]


def amounts(choose):
    """A column of numbers: money, measured values, or ids that no float holds."""
    kind = choose.randrange(4)
    if kind == 0:
        return lambda: Decimal(choose.randrange(-10**7, 10**7)).scaleb(-2)
    if kind == 1:
        return lambda: Decimal(choose.randrange(1, 10**12)).scaleb(-2)
    if kind == 2:
        return lambda: Decimal(choose.randrange(-(10**18), 10**18)).scaleb(-2)
    return lambda: Decimal(2**53 + choose.randrange(10**6))


def rows_of(choose):
    amount = amounts(choose)
    missing, wrong = choose.choice([0, 0.1]), choose.choice([0, 0, 0.02])
    start = date(2025, 11, 3)
    rows = []
    for number in range(1, choose.randrange(2, 400)):
        share = choose.random()
        value = amount()
        if share < missing:
            value = choose.choice(MISSING)
        elif share < missing + wrong:
            value = choose.choice(WRONG)
        day = start + timedelta(days=choose.randrange(120))
        note = choose.choice(["", "late", "Very LATE", "ok"])
        rows.append({"id": number, "k": choose.choice(NAMES), "amount": value, "day": day, "note": note})
    # The first value shows the notation of all.
    rows[0]["amount"] = Decimal("1234567.25") if rows[0]["amount"] == "" or choose.random() < 0.9 else Decimal("7.25")
    return rows


def as_csv(choose, rows):
    written, has_comma = choose.choice(notations())
    delimiter = choose.choice(",;\t|")
    if has_comma and delimiter == ",":
        delimiter = ";"
    stream = io.StringIO(newline="")
    end = choose.choice(["\n", "\r\n", "\r"])
    # The writer would leave a line feed without quotes in lines that end in a carriage return.
    quoting = csv.QUOTE_ALL if end == "\r" else choose.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(["id", "k", " Amount ", "day", "note"])
    day_format = choose.choice(["%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%Y-%m-%dT09:30:00Z"])
    for row in rows:
        amount = written(row["amount"]) if isinstance(row["amount"], Decimal) else row["amount"]
        writer.writerow([row["id"], row["k"], amount, row["day"].strftime(day_format), row["note"]])
        if choose.random() < 0.02:
            stream.write(end)
    text = stream.getvalue()
    if choose.random() < 0.3:
        text = text.removesuffix(end)
    encoding = choose.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"])
    try:
        return "tsv" if delimiter == "\t" else "csv", text.encode(encoding)
    except UnicodeEncodeError:
        return "csv", text.encode()


class Written(float):
    """A number that JSON gets as it is written."""

    def __new__(cls, text):
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __repr__(self):
        return self.text


def as_json(choose, rows):
    as_text = choose.random() < 0.3

    def value(row):
        amount = row["amount"]
        if isinstance(amount, Decimal):
            amount = str(amount) if as_text else Written(str(amount))
        elif amount == "" and choose.random() < 0.5:
            amount = None
        made = {"id": row["id"], "k": row["k"], "amount": amount, "day": row["day"].isoformat(), "note": row["note"]}
        if amount is None and choose.random() < 0.5:
            del made["amount"]
        return made

    ascii_only, kind = choose.random() < 0.5, choose.randrange(4)
    values = [value(row) for row in rows]

    def dumped(value, indent=None):
        # The encoder in C writes floats by itself.
        encoder = json.JSONEncoder(ensure_ascii=ascii_only, indent=indent)
        return "".join(json.encoder._make_iterencode(
            {}, encoder.default, json.encoder.py_encode_basestring_ascii if ascii_only else json.encoder.py_encode_basestring,
            indent, repr, ": ", ", " if indent is None else ",", False, False, False)(value, 0))

    if kind == 0:
        return "jsonl", "\n".join(map(dumped, values)).encode()
    if kind == 1:
        return "json", dumped(values, choose.choice([None, " "])).encode()
    if kind == 2:
        return "json", dumped({"page": {"next": None, "ids": [1]}, "data": values}).encode()
    return "json", ("\n".join(map(dumped, values)) + "\n").encode()


def filters(choose, rows):
    """A filter, and sometimes a second one, which reads no numbers."""
    second = {"contains": "late"}, {"column": "day", "above": "2025-11-30"}, {"column": "note", "missing": False}
    return [filter_of(choose, rows), *([choose.choice(second)] if choose.random() < 0.3 else [])]


def filter_of(choose, rows):
    numbers = [row["amount"] for row in rows if isinstance(row["amount"], Decimal)]
    kind = choose.randrange(9)
    if kind == 0:
        name = choose.choice([name for name in NAMES if name.strip()])
        return {"column": "k", "equals": name.upper() if name.isascii() else name}
    if kind == 1:
        return {"column": "amount", choose.choice(["above", "at_least", "at_most"]): str(choose.choice(numbers))}
    if kind == 2:
        return {"column": "AMOUNT", "below": str(choose.choice(numbers)), "above": str(min(numbers))}
    if kind == 3:
        return {"column": "day", "at_most": "2025-12-24", "above": "2025-11-30"}
    if kind == 4:
        return {"column": "amount", "missing": choose.random() < 0.5}
    if kind == 5:
        return {"contains": "late"}
    if kind == 6:
        return {"column": "k", choose.choice(["equals", "not_equals"]): choose.sample([name for name in NAMES if name.strip()], 3)}
    return {}


def matches(row, filter):
    column = filter.get("column", "").lower()
    value = row.get(column)
    text = value.isoformat() if isinstance(value, date) else str(value)
    if "contains" in filter and not any(filter["contains"] in str(cell).lower() for cell in row.values()):
        return False
    for name, is_one in (("equals", True), ("not_equals", False)):
        if name in filter:
            texts = filter[name] if isinstance(filter[name], list) else [filter[name]]
            if (text.strip().lower() in [text.strip().lower() for text in texts]) != is_one:
                return False
    if "missing" in filter and filter["missing"] != (value in MISSING):
        return False
    for name, fits in (("above", operator.gt), ("below", operator.lt), ("at_least", operator.ge), ("at_most", operator.le)):
        if name in filter:
            if isinstance(value, date):
                if not fits(text, filter[name]):
                    return False
            elif not isinstance(value, Decimal) or not fits(value, Decimal(filter[name])):
                return False
    return True


def questions(choose):
    measures = {name: "amount" for name in ("sum", "mean", "median", "min", "max") if choose.random() < 0.5}
    if choose.random() < 0.3:
        measures |= {"percentile": "amount", "percent": choose.randint(1, 99)}
    by = choose.choice([[], ["k"], ["month"], ["k", "month"], ["note", "K"], [choose.choice(list(CUTS))]])
    return choose.choice([
        {"summary": {**measures, "by": by, "limit": 1000, "order": "descending"}},
        {"summary": {**measures, "by": by, "limit": 1000, "order": "descending"}},
        {"summary": {**measures, "by": by, "limit": 1000, "order": "descending"}},
        {"top": {"column": "k", "limit": 1000}},
        {"rows": {"columns": ["id", "note"], "limit": 1000}},
        {"rows": {"columns": ["id", "note"], "limit": 1000, "order_by": "Day", "order": choose.choice(["ascending", "descending"])}},
    ])


def number(exact):
    """A decimal as the answer has it: all digits of a whole one, else the nearest float."""
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def mean(total, count):
    if total % count == 0:
        return int(total // count)
    return number(Decimal(f"{float(total) / count:.15g}"))


def short(text, chars_max):
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def group_name(row, by):
    if by in CUTS:
        return CUTS[by](row["day"])
    return short(row[by.lower()], 80) or "(missing)"


def expected(rows, query):
    """The groups, rows or values of the answer, or a part of the error."""
    (want, asked), filters = *query["want"].items(), query["filters"]
    chosen = [row for row in rows if all(matches(row, filter) for filter in filters)]
    filter = filters[0]
    if want == "rows":
        if "order_by" in asked:
            chosen.sort(key=lambda row: row["day"], reverse=asked["order"] == "descending")
        return {"rows": [{"id": row["id"], "note": row["note"]} for row in chosen], "matching": len(chosen)}
    if want == "top":
        counts = {}
        for row in chosen:
            if row["k"]:
                counts[short(row["k"], 200)] = counts.get(short(row["k"], 200), 0) + 1
        return {"rows": len(chosen), "values": {short(name, 80): count for name, count in counts.items()}}
    compared = filter.get("column", "").lower() == "amount" and not BOUNDS.isdisjoint(filter)
    for looked_at, is_asked in ((rows, compared), (chosen, "amount" in asked.values())):
        values = [row["amount"] for row in looked_at]
        wrong = sum(value in WRONG for value in values)
        read = sum(isinstance(value, Decimal) for value in values)
        says_missing = any(value in MISSING and value.strip() for value in values)
        if is_asked and not read and (wrong or says_missing):
            return "holds no numbers"
        if is_asked and wrong * 100 > 5 * (wrong + read):
            return "nothing was added up"
        if is_asked and not read and looked_at:
            return "holds no values"
    groups = {} if asked["by"] else {(): []}
    for row in chosen:
        groups.setdefault(tuple(group_name(row, by) for by in asked["by"]), []).append(row)
    answer = []
    for names, members in groups.items():
        group = dict(zip(("group", "group_2"), names)) | {"rows": len(members)}
        values = [row["amount"] for row in members if isinstance(row["amount"], Decimal)]
        for name in ("sum", "mean", "median", "percentile", "min", "max"):
            if name not in asked:
                continue
            if not values:
                group[name] = 0 if name == "sum" and not members else None
            elif name == "mean":
                group[name] = mean(sum(values), len(values))
            elif name == "median":
                # The middle of an even number is a mean, and is rounded like one.
                middle = statistics.median_low(values), statistics.median_high(values)
                group[name] = number(middle[0]) if len(values) % 2 else mean(sum(middle), 2)
            elif name == "percentile":
                group[name] = number(sorted(values)[-(-len(values) * asked["percent"] // 100) - 1])
            else:
                group[name] = number({"sum": sum, "min": min, "max": max}[name](values))
        answer.append((group, len(values)))
    # Beside a mean of fewer values than there are rows, each group says of how many.
    has_gaps = not {"mean", "median", "percentile"}.isdisjoint(asked) and any(group["rows"] > count for group, count in answer)
    return [group | ({"values": count} if has_gaps else {}) for group, count in answer]


def write(folder, count):
    for number in range(count):
        choose = random.Random(number)
        rows = rows_of(choose)
        ending, content = (as_csv if choose.random() < 0.6 else as_json)(choose, rows)
        query = {"file": f"{number}.{ending}", "want": questions(choose), "filters": filters(choose, rows)}
        (folder / query["file"]).write_bytes(content)
        (folder / f"{number}.query.json").write_text(json.dumps(query))


def plain(value):
    """What is compared: texts and numbers, whole ones without a point."""
    return int(value) if isinstance(value, float) and value == int(value) else value


def check(folder):
    failed = 0
    paths = sorted(folder.glob("*.query.json"), key=lambda path: int(path.name.partition(".")[0]))
    for path in paths:
        number = int(path.name.partition(".")[0])
        choose = random.Random(number)
        rows, query = rows_of(choose), json.loads(path.read_text())
        found, wanted = json.loads((folder / f"{number}.answer.json").read_text()), expected(rows, query)
        if isinstance(wanted, str) or "error" in found:
            is_same = isinstance(wanted, str) and wanted in found.get("error", "")
        elif "groups" in found:
            def sorted_groups(groups):
                groups = [{key: plain(value) for key, value in group.items()} for group in groups]
                return sorted(groups, key=lambda group: (group.get("group", ""), group.get("group_2", "")))

            found, wanted = sorted_groups(found["groups"]), sorted_groups(wanted)
            is_same = found == wanted
        elif "values" in found:
            found = {"rows": found["rows"], "values": {one["value"]: one["rows"] for one in found["values"]}}
            is_same = found == wanted
        else:
            rows = [row | {"id": int(row["id"])} for row in found["rows"]]
            is_same = {"rows": rows, "matching": found["matching"]} == wanted
        if not is_same:
            failed += 1
            if failed <= 5:
                print(f"{query}\nfound:    {json.dumps(found)[:1500]}\nexpected: {json.dumps(wanted)[:1500]}\n")
    print(f"{failed} of {len(paths)} answers differ")
    sys.exit(failed > 0 or not paths)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "write":
        write(folder, int(sys.argv[3]))
    else:
        check(folder)
