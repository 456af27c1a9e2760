"""Tables in the files of the directory `data`: CSV, TSV, JSON and JSON Lines, each also as `.gz`.

    orders = pack.Table("orders.csv")
    amount, (notation,) = orders.cell("amount"), orders.notations(["amount"])
    total = sum(notation.number(amount(row)) or 0 for row in orders.rows)

A file of any size is read in a few MiB of memory, once and from the front. What cannot be read as what its name says is
a `ValueError` that names the file, and where it can be known, the line.
"""

import codecs
import csv
import itertools
import json
import re

from intentbox import compressed, files

# What is read at once, in bytes. Larger pieces are no faster.
PIECE_BYTES = 1 << 18

# The most characters of one line, or of one object in JSON. Parsed, an object of small ones takes some thirty times
# as much memory, so that twice as many would not fit into what the templates ask for.
LINE_CHARS_MAX = 8 << 20

# So many objects of a JSON file say which columns there are.
OBJECTS_FOR_COLUMNS = 100

# So many rows, or characters of them, say how the numbers of a column are written.
ROWS_FOR_NOTATION = 1000
CHARS_FOR_NOTATION = 4 << 20

# How deep objects in objects become columns of their own, such as `customer.address.city`.
DEPTH_MAX = 5

# Up to here a float holds every integer; beyond, it would change the digits of an id.
_EXACT_MAX = 1 << 53

# Below this, the fifteen digits that a float holds for certain say which decimal number was written.
SCALED_MAX = 1e15

# A sum has a scale of so many decimals at most. One column with measured values of many digits would otherwise leave no
# room below `SCALED_MAX` for the others.
DECIMALS_SCALED_MAX = 6

_KINDS = {"csv": "csv", "tsv": "tsv", "tab": "tsv", "json": "json", "jsonl": "jsonl", "ndjson": "jsonl"}

# NaN and the infinities are no JSON, but some write them. No answer could hold them, so they count as missing.
_decode = json.JSONDecoder(parse_constant=lambda name: None).decode


class Table:
    """A file as columns and rows.

    `file` is its path, `columns` the names of its columns, and `rows` an iterator over its rows, once. A row is a list
    of texts in CSV and a dictionary in JSON; `cell` takes a value out of either. In JSON, an object inside an object
    gives columns such as `customer.name`, and the first hundred rows say which columns there are.
    """

    def __init__(self, name, needle=""):
        """Opens the file that `name` means: its path, in any case, or the last part of it if only one file has that.

        With `needle`, a text in lower case as it stands in the file, rows that do not hold it may be left out, since
        skipping them unread is several times faster.

        Raises `ValueError` if no file or several have that name, or if the file cannot be read.
        """
        self.file = _path(name)
        self.is_json = kind(self.file) in ("json", "jsonl")
        self.delimiter = None
        if self.is_json:
            objects = _objects(self.file)
            start = list(itertools.islice(objects, OBJECTS_FOR_COLUMNS))
            self.columns = list(dict.fromkeys(key for row in start for key in _keys(row)))
            self.rows = _objects(self.file, needle) if needle else itertools.chain(start, objects)
        else:
            self.rows = _csv_rows(self.file, needle)
            self.delimiter = next(self.rows)
            self.columns = _distinct(next(self.rows, []))

    def column(self, name):
        """Returns the column that `name` means, in any case; for one that is not there, `ValueError` names all."""
        same = [known for known in self.columns if known.lower() == name.lower()]
        if same:
            return name if name in same else same[0]
        there = f"has {names(self.columns)}" if self.columns else "is empty"
        raise ValueError(f"{self.file} has no column {short(name, 40)}{_nearest(name, self.columns)} (it {there})")

    def cell(self, name):
        """Returns a function from a row to its value in this column: None or an empty text where it is missing."""
        column = self.column(name)
        if not self.is_json:
            place = self.columns.index(column)
            return lambda row: row[place] if place < len(row) else None
        if "." not in column:
            return lambda row: row.get(column)
        steps = column.split(".")
        # A key may have a dot of its own.
        return lambda row: row[column] if column in row else _inside(row, steps)

    def fits(self, row):
        """Whether a row has a cell for each column. Empty cells behind the last column do no harm."""
        width = len(self.columns)
        return self.is_json or (len(row) >= width and not any(row[width:]))

    def notations(self, columns):
        """Returns how each of these columns writes its numbers, a `Notation`, by the first rows."""
        start, chars = [], 0
        for row in self.rows if columns else ():
            start.append(row)
            chars += len(str(row))
            if len(start) == ROWS_FOR_NOTATION or chars > CHARS_FOR_NOTATION:
                break
        self.rows = itertools.chain(start, self.rows)
        decimal = "," if self.delimiter == ";" else "."
        start = list(filter(self.fits, start)) or start
        return [Notation(map(self.cell(column), start), decimal, self.column(column)) for column in columns]


class Notation:
    """How one column writes its numbers: `1,299.99` or `1.299,99`, in dollars or in percent.

    `decimal` is the character before the decimals, None until a value shows it, and `unit` is `%`, a currency, or
    empty. `assumed` is the first value that could be read in two ways, if no value said which, or too few did: `1,234`.
    Of values that are left out, `missing` counts those that say so, such as `n/a`, and `wrong` the others.
    """

    def __init__(self, values, usual, name):
        """Looks at some values. `usual` is the character before decimals in a file like this one."""
        parts = [part for part in map(_parts, values) if part]
        marks = [mark for *_, mark in parts]
        units = [unit for _, unit, *_ in parts]
        points, commas = marks.count("."), marks.count(",")
        self.decimal = None if points == commas == 0 else "." if points >= commas else ","
        self.unit = max(dict.fromkeys(units), key=units.count, default=None)
        if self.unit == "":  # some values may leave the currency out, but none the percent sign
            self.unit = next((unit for unit in units if unit not in ("", "%")), "")
        self.assumed = None
        # A mark that is unusual in such a file, and that fewer values show than leave it open, may be a slip.
        open_values = [digits for _, _, digits, mark in parts if mark == "?"]
        self._is_doubtful = self.decimal not in (None, usual) and marks.count(self.decimal) < len(open_values)
        if self._is_doubtful:
            self.assumed = open_values[0]
        self.usual, self.name = usual, name
        self.missing, self.wrong, self._examples = 0, 0, [None, None]
        # Whether what `float` reads is right.
        self.is_plain = self.decimal == "." and self.unit != "%"

    def number(self, value):
        """Returns a value as a number, `12%` as 12; None if it is not written like the others of this column."""
        if type(value) is not str or self.is_plain or (value.isdigit() and value.isascii()):
            amount = _plain(value)
            if amount is not None or type(value) is not str:
                self.unit = self.unit or ""
                return None if self.unit == "%" else amount
        part = _parts(value)
        if part is None:
            return None
        sign, unit, digits, mark = part
        if unit != self.unit and not self._takes(unit):
            return None
        if mark == "?" and self.decimal is None:
            self.decimal, self.assumed = self.usual, value
        elif mark in (".", ","):
            if self.decimal not in (None, mark):
                if self.assumed:
                    found = f"{short(self.assumed, 40)} and {short(value, 40)}"
                    raise ValueError(f"column {self.name} writes its numbers in two ways, such as {found}")
                return None
            self.decimal, self.assumed = mark, self.assumed if self._is_doubtful else None
            self.is_plain = mark == "." and self.unit != "%"
        thousands = "." if self.decimal == "," else ","
        amount = _plain(digits.replace(thousands, "").replace(self.decimal or ".", "."))
        return amount if amount is None else sign * amount

    def leave_out(self, value):
        """Notes a value that is no number of this column; False for blanks, which are no value."""
        value = text(value).strip()
        is_missing = value.lower() in _MISSING
        self.missing += is_missing and bool(value)
        self.wrong += not is_missing
        self._examples[is_missing] = self._examples[is_missing] or short(value, 40)
        return bool(value)

    @property
    def example(self):
        """What was left out, for example."""
        return self._examples[False] or self._examples[True]

    def _takes(self, unit):
        if self.unit is None or (self.unit == "" and unit != "%"):
            self.unit = unit
            self.is_plain = self.decimal == "." and unit != "%"
            return True
        return unit == "" and self.unit != "%"


_CURRENCY = (
    "[A-Z]{0,2}[$€£¥₹₩₽₺₪₫₴₱₦]|USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|RUB|BRL"
    "|MXN|ZAR|KRW|SGD|HKD|kr|zł|Kč"
)
_AMOUNT = re.compile(
    rf"(\()?\s*([-+−]?)\s*({_CURRENCY})?\s*([-+−]?)\s*(\d[\d.,'’ \u00a0\u202f]*|[.,]\d+)({_CURRENCY}|%)?\s*(\))?"
)
# Apostrophes and spaces only ever stand between thousands.
_SPACED = re.compile(r"\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?")
_SPACES = re.compile(r"['’ \u00a0\u202f]")
_THOUSANDS = {mark: re.compile(rf"\d{{1,3}}(?:\{mark}\d{{3}})+") for mark in ".,"}
_EXPONENT = re.compile(r"\s*[+-]?\d+(?:\.\d+)?[eE][+-]?\d+\s*")


def _parts(value):
    """A number as people write it, as (sign, unit, digits, mark); None for what is none.

    The mark is the decimal one if the digits show it, as in `1,5` and `1.299,99` and also in `1.000.000`; `?` if a
    comma or point may be either, as in `1,234`; and else empty.
    """
    if type(value) is not str:
        return (1, "", str(value), "") if type(value) in (int, float) else None
    if _EXPONENT.fullmatch(value):
        return 1, "", value, "." if "." in value else ""
    found = _AMOUNT.fullmatch(value.strip())
    if not found:
        return None
    opened, sign, before, inner, digits, behind, closed = found.groups()
    if (opened is None) != (closed is None) or (before and behind) or bool(sign) + bool(inner) + bool(opened) > 1:
        return None
    digits = digits.strip()
    mark = _mark(digits)
    if mark is None:
        return None
    is_negative = opened or (sign or inner) in ("-", "−")
    return -1 if is_negative else 1, before or behind or "", _SPACES.sub("", digits), mark


def _mark(digits):
    """What shows in these digits before the decimals: see `_parts`. None if digits are not grouped like this."""
    if _SPACED.fullmatch(digits):
        return "." if "." in digits else "," if "," in digits else ""
    if _SPACES.search(digits):
        return None
    points, commas = digits.count("."), digits.count(",")
    if not points and not commas:
        return ""
    last = "." if digits.rfind(".") > digits.rfind(",") else ","
    whole, _, decimals = digits.rpartition(last)
    other = "," if last == "." else "."
    if points and commas:
        return last if digits.count(last) == 1 and decimals and _THOUSANDS[other].fullmatch(whole) else None
    if points + commas > 1:
        return other if _THOUSANDS[last].fullmatch(digits) else None
    if len(decimals) == 3 and 0 < len(whole) <= 3 and whole[0] != "0":
        return "?"
    return last if decimals else None


# How people write, in lower case, that there is no value.
_MISSING = {"", "n/a", "#n/a", "na", "n.a.", "nan", "null", "none", "nil", "-", "--", "–", "—", "?"}


def kind(path):
    """Returns `csv`, `tsv`, `json` or `jsonl`, by the name of a file; None for what is no table."""
    stem, dot, ending = path.lower().removesuffix(".gz").rpartition(".")
    return _KINDS.get(ending) if dot else None


def pieces(path):
    """Yields the bytes of a file, some 256 KiB at a time and unpacked; a broken `.gz` is a `ValueError`."""
    with files.open(f"data:{path}") as stream:
        if not path.lower().endswith(".gz"):
            while piece := stream.read(PIECE_BYTES):
                yield piece
            return
        try:
            yield from compressed.pieces(stream, "gzip", bytes_max=PIECE_BYTES)
        except compressed.Broken as error:
            raise ValueError(f"{path}: this is no sound gzip file ({error})") from None


def number(value):
    """Returns a value as an `int` or a `float`, or None if it is no number.

    A comma is a decimal one only where it can be no other: in `1,5`, but not in `1,500`. The `Notation` of a whole
    column knows more.
    """
    amount = _plain(value)
    if amount is None and type(value) is str and re.fullmatch(r"\s*[+-]?\d+,\d{1,2}\s*", value):
        amount = float(value.replace(",", "."))
    return amount


def _plain(value):
    """Returns a number, or a text as Python writes numbers, as a number; None for all else."""
    if type(value) is str:
        try:
            amount = float(value)
        except ValueError:
            return None
        if "_" in value:  # Python's own notation, which no table means
            return None
        if -_EXACT_MAX < amount < _EXACT_MAX:
            return amount
        value = int(value) if re.fullmatch(r"\s*[+-]?\d{1,40}\s*", value) else amount
    elif type(value) is not int and type(value) is not float:
        return None  # True is no number here
    return value if value - value == 0 else None  # neither infinite nor NaN


def whole(amount):
    """Returns a number as it is, but a whole one as an `int`."""
    return int(amount) if amount == int(amount) else amount


class Sum:
    """A sum without the error of floating point: the digits that people wrote are added, as integers.

    `total` is the sum times `scale`, a power of ten. A loop over many numbers may add to it itself what is exact:

        scaled = amount * sum.scale
        if -SCALED_MAX < scaled < SCALED_MAX and (digits := round(scaled)) / sum.scale == amount:
            sum.total += digits
        else:
            sum.add(amount)
    """

    __slots__ = ("total", "scale", "finer")

    def __init__(self):
        self.total, self.scale = 0, 1
        self.finer = {}  # what has more decimals than the scale, by their number

    def add(self, amount):
        """Adds any number."""
        digits, places = _digits(amount)
        if places > DECIMALS_SCALED_MAX:
            self.finer[places] = self.finer.get(places, 0) + digits
            return
        if 10**places > self.scale:
            self.total *= 10**places // self.scale
            self.scale = 10**places
        self.total += digits * (self.scale // 10**places)

    def over(self, count=1):
        """Returns the sum divided by a count, to fifteen digits if that does not come out even."""
        total, scale = self.total, self.scale
        if self.finer:
            most = 10 ** max(self.finer)
            total = total * (most // scale) + sum(part * (most // 10**places) for places, part in self.finer.items())
            scale = most
        if total % (scale * count) == 0:
            return total // (scale * count)
        exact = float(f"{total}e-{len(str(scale)) - 1}")  # a text is read to the nearest float, whatever its length
        return exact if count == 1 else float(f"{exact / count:.15g}")


def _digits(amount):
    """A number as an integer and how many of its digits are decimals: 1.25 as (125, 2)."""
    if type(amount) is int:
        return amount, 0
    mantissa, _, exponent = repr(amount).partition("e")
    before, _, decimals = mantissa.partition(".")
    decimals = decimals.rstrip("0")
    digits, places = int(before + decimals), len(decimals) - int(exponent or 0)
    return (digits, places) if places >= 0 else (digits * 10**-places, 0)


def text(value):
    """Returns a value as text: a list, an object or a number as JSON writes it, None as an empty text."""
    if type(value) is str:
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def short(value, chars_max=120):
    """Returns a value as an answer can hold it: a list or an object as text, and text cut at `chars_max` characters."""
    if type(value) in (dict, list) or (type(value) is float and value - value != 0):
        value = text(value)
    if type(value) is not str:
        return value
    value = value if len(value) <= chars_max else value[: chars_max - 1] + "…"
    return value.encode(errors="replace").decode()  # JSON can write half a character


def names(known):
    """Returns names for a message, the first twelve of them."""
    more = f" and {len(known) - 12} more" if len(known) > 12 else ""
    return ", ".join(short(name, 40) for name in known[:12]) + more


def _path(name):
    known = [entry["path"].partition(":")[2] for entry in files.list("data:")]
    known = [path for path in known if kind(path)]
    wanted = name.lower()
    for same in (
        [path for path in known if path == name],
        [path for path in known if path.lower() == wanted],
        [path for path in known if path.lower().rpartition("/")[2] == wanted],
    ):
        if len(same) == 1:
            return same[0]
        if same:
            raise ValueError(f"several files are called {name}: {names(same)}")
    there = f"there are {names(known)}" if known else "the directory holds no data files"
    raise ValueError(f"there is no file {short(name, 60)}{_nearest(name, known)} ({there})")


def _nearest(word, known):
    """A hint with the known name that is closest to a word, or nothing."""
    import difflib  # only for a message

    lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), lower, 1)
    return f"; did you mean {short(lower[close[0]], 40)}?" if close else ""


def _texts(path):
    """The text of a file, a piece at a time. The first piece says how it is encoded."""
    decoder = None
    for piece in pieces(path):
        if decoder is None:
            encoding = "utf-16" if piece[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
            try:
                codecs.getincrementaldecoder(encoding)().decode(piece)
            except UnicodeDecodeError:
                encoding = "latin-1"  # what older spreadsheets write
            decoder = codecs.getincrementaldecoder(encoding)("replace")
        yield decoder.decode(piece)


def _line_lists(path):
    """The lines of a file, a list for each piece: a step of Python for each line would take most of the time."""
    rest = ""
    for piece in _texts(path):
        lines = (rest + piece).split("\n")
        rest = lines.pop()
        if len(rest) > LINE_CHARS_MAX:
            raise ValueError(f"{path}: a line has more than {LINE_CHARS_MAX >> 20} million characters")
        yield lines
    yield [rest]


def _csv_rows(path, needle):
    """The delimiter, the header, and then the rows that hold the needle, at least."""
    lists = _line_lists(path)
    start = []
    for lines in lists:
        start += lines
        if len(start) > 20:
            break

    quotes = 0

    def with_ends():
        nonlocal quotes
        yield [line + "\n" for line in start]
        quotes = sum(line.count('"') for line in start)
        quoted = quotes > 0
        for lines in lists:
            together = "".join(lines)
            quotes += together.count('"')
            quoted = quoted or quotes > 0
            if quoted:
                # A quoted cell may go over several lines, and on into the next piece.
                yield [line + "\n" for line in lines]
            elif not needle or needle in together.lower():
                yield lines

    # From here on no step of Python is taken for a line.
    lines = itertools.chain.from_iterable(with_ends())
    delimiter = _delimiter(path, [line + "\n" for line in start[:20]])
    yield delimiter
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        yield from filter(None, reader)  # without empty lines
    except csv.Error as error:
        raise ValueError(f"{path}: this cannot be read as CSV ({error}); is it text, and each quote closed?") from None
    # Sound cells hold an even number of quotes. An odd one may also be 5" for five inches.
    opened = _open_quote(path, delimiter) if quotes % 2 else None
    if opened:
        raise ValueError(f"{path}: line {opened} opens a quote that is never closed")


_QUOTE_END = re.compile(r'[^"]*(?:""[^"]*)*"(?!")')


def _open_quote(path, delimiter):
    """The line whose quote is still open at the end of the file, or None."""
    quote_start = re.compile(rf'(?:^|{re.escape(delimiter)})"')  # elsewhere in a cell it is a character like others
    opened = None
    for place, line in enumerate(itertools.chain.from_iterable(_line_lists(path)), 1):
        at = 0
        while '"' in line:
            found = (_QUOTE_END.match if opened else quote_start.search)(line, at)
            if not found:
                break
            opened, at = None if opened else place, found.end()
    return opened


def _delimiter(path, lines):
    """The character that splits the first lines into the most columns, and alike."""
    best, most = "\t" if kind(path) == "tsv" else ",", 0
    for character in (best, ",", ";", "\t", "|"):
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=character) if row]
        except csv.Error:
            continue
        if widths and widths[0] > 1:
            score = widths.count(widths[0]) / len(widths) + widths[0] / 1000
            if score > most:
                best, most = character, score
    return best


def _distinct(header):
    """A name for each column, also for one without a name or with the name of another."""
    known = {}
    for place, name in enumerate(header, 1):
        name = name.strip() or f"column_{place}"
        while name in known:  # what is made of a name may be there as well
            name = f"{name}_{place}"
        known[name] = place
    return list(known)


def _objects(path, needle=""):
    """The rows of a JSON file, those that hold the needle at least."""
    for rows in _json_lists(path, needle):
        for row in rows:
            if type(row) is not dict:
                found = short(text(row), 40)
                raise ValueError(f"{path}: a row has to be an object, and one is {found}")
            yield row


def _json_lists(path, needle):
    """The rows of a JSON file in lists: parsing many at once is much faster than one by one."""
    if kind(path) == "jsonl":
        yield from _lists_of_lines(path, needle)
        return
    start = next(_texts(path), "").lstrip()
    if start.startswith("["):
        yield from _lists_of_array(path)
        return
    line, end, below = start.partition("\n")
    try:
        is_lines = bool(below.strip()) and type(_decode(line)) is dict
    except ValueError:
        is_lines = False
    yield from _lists_of_lines(path, needle) if is_lines else _list_of_object(path)


def _lists_of_lines(path, needle):
    before = 0
    for lines in _line_lists(path):
        filled = [line for line in lines if line.strip() and needle in line.lower()]
        try:
            yield _decode("[" + ",".join(filled) + "]")
        except ValueError:
            # Only now is it worth the time to look for the line.
            for place, line in enumerate(lines, before + 1):
                try:
                    _decode(line if line.strip() else "null")
                except ValueError as error:
                    raise ValueError(f"{path}: line {place} is no JSON ({error})") from None
            raise
        before += len(lines)


def _lists_of_array(path):
    """An array that may be too large to parse at once, in lists."""
    rest, begun, before, enough = "", False, 0, 0
    try:
        for piece in _texts(path):
            rest += piece
            if not begun:
                rest, begun = rest.lstrip()[1:], True
            if len(rest) >= enough:
                elements, rest = _cut(rest)
                yield elements
                before += len(elements)
                # An object of many pieces is not looked through again for each of them.
                enough = 0 if elements else 2 * len(rest)
            if len(rest) > LINE_CHARS_MAX:
                raise ValueError(f"an object has more than {LINE_CHARS_MAX >> 20} million characters")
        yield _decode("[" + rest)
    except ValueError as error:
        raise ValueError(f"{path}: this is no JSON behind the first {before} rows ({error})") from None


_COMMA = re.compile(r"\}\s*,")
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)


def _cut(inside):
    """The elements that stand whole at the start of an array's inside, and the text behind the comma after them."""
    end = len(inside)
    # Mostly one of the last few `}` ends an element. If what lies before it is JSON, it does: a text that is cut
    # inside of a string or of an object is none.
    for _ in range(8):
        end = inside.rfind("}", 0, end)
        comma = _COMMA.match(inside, end) if end >= 0 else None
        if comma:
            try:
                return _decode("[" + inside[: end + 1] + "]"), inside[comma.end() :]
            except ValueError:
                pass
    depth = end = 0
    for token in _TOKEN.finditer(inside):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        elif mark == "," and depth == 0:
            end = token.start()
    return (_decode("[" + inside[:end] + "]"), inside[end + 1 :]) if end else ([], inside)


def _list_of_object(path):
    """The rows of a JSON file that is one object: those of its only list of objects, or the object itself."""
    whole = ""
    for piece in _texts(path):
        whole += piece
        if len(whole) > LINE_CHARS_MAX:
            raise ValueError(f"{path}: this is one object, and too large; a list of objects can be of any size")
    if not whole.strip():
        return
    try:
        value = _decode(whole)
    except ValueError as error:
        raise ValueError(f"{path}: this is no JSON ({error})") from None
    parts = value.values() if type(value) is dict else []
    lists = [part for part in parts if type(part) is list and part and type(part[0]) is dict]
    yield lists[0] if len(lists) == 1 else [value]


def _keys(row, front=""):
    """The columns of an object, and those of the objects inside it behind a dot."""
    for name, value in row.items():
        if type(value) is dict and value and front.count(".") < DEPTH_MAX - 1:
            yield from _keys(value, f"{front}{name}.")
        else:
            yield front + name


def _inside(row, steps):
    """What an object holds behind these keys, or None."""
    for step in steps:
        if type(row) is not dict:
            return None
        row = row.get(step)
    return row
