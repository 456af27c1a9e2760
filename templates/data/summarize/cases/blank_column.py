"""Counts the rows of a file, or adds up a column: sum, mean, least and greatest value, in all or by a column."""

import heapq

import pack

file = 'blank.csv'
asked = {
    "sum": 'b',
    "mean": None,
    "min": None,
    "max": None,
}
count = None
by = None
order = 'descending'
limit = 10

GROUPS_MAX = 100_000  # so many fit well into the memory of a run
SCALED_MAX = pack.SCALED_MAX
LEFT_OUT_PERCENT_MAX = 5  # of the values of a column; what leaves out more is no answer


class Numbers:
    """What is kept of the numbers of one column in one group."""

    __slots__ = ("count", "added", "min", "max")

    def __init__(self):
        self.count, self.added, self.min, self.max = 0, pack.Sum(), None, None

    @property
    def sum(self):
        return self.added.over() if self.count else None

    @property
    def mean(self):
        return self.added.over(self.count) if self.count else None


class Group:
    """The rows with the same value in the column to group by, or all rows."""

    __slots__ = ("rows", "numbers")

    def __init__(self):
        self.rows, self.numbers = 0, [Numbers() for _ in cells]

    def told(self, key):
        """The group as it is shown."""
        said = {"rows": self.rows} if by is None else {"group": pack.short(key, 80), "rows": self.rows}
        for measure, name in asked.items():
            amount = getattr(self.numbers[names.index(name)], measure)
            if measure == "sum" and not self.rows:
                amount = 0
            said[measure] = None if amount is None else pack.whole(amount)
        return said


table = pack.Table(file)
asked = {measure: table.column(name) for measure, name in asked.items() if name is not None}
if not asked and count is None:
    # In "average count" the column is a word that the question itself may hold, and is not read.
    there = pack.names(table.columns)
    raise ValueError(f'which column? {table.file} has {there}; some names are read in quotes only: highest "id"')
names = list(dict.fromkeys(asked.values()))  # a column is read once, whatever is asked about it
notations = table.notations(names)
cells = [(place, table.cell(name), notations[place].number) for place, name in enumerate(names)]
has_sums = "sum" in asked or "mean" in asked
has_extremes = "min" in asked or "max" in asked
width = None if table.is_json else len(table.columns)
group_of = None if by is None else table.cell(by)
groups = {}
if by is None:
    groups[None] = Group()

left_out = []
rows_seen, other_width, uses_cells = 0, 0, bool(asked) or by is not None
for rows_seen, row in enumerate(table.rows, 1):
    if width is not None and len(row) != width and not table.fits(row):
        other_width += 1
        if other_width == 1:
            other_place, other_row = rows_seen, row
        if uses_cells:
            continue  # which cell belongs to which column is not known
    key = None
    if group_of is not None:
        key = group_of(row)
        if type(key) is not str or not 0 < len(key) <= 80:
            key = pack.short(pack.text(key), 80) or "(missing)"
    group = groups.get(key)
    if group is None:
        if len(groups) == GROUPS_MAX:
            raise ValueError(f"{table.file}: column {by} has more than {GROUPS_MAX} different values; group by another")
        group = groups[key] = Group()
    group.rows += 1
    for place, cell, number in cells:
        value = cell(row)
        if value is None or value == "":
            continue
        amount = number(value)
        numbers = group.numbers[place]  # here and not in a method: this runs for each cell
        if amount is None:
            notations[place].leave_out(value)
            continue
        numbers.count += 1
        if has_sums:
            added = numbers.added
            scaled = amount * added.scale
            if -SCALED_MAX < scaled < SCALED_MAX and (digits := round(scaled)) / added.scale == amount:
                added.total += digits
            else:
                added.add(amount)
        if has_extremes:
            numbers.min = amount if numbers.min is None or amount < numbers.min else numbers.min
            numbers.max = amount if numbers.max is None or amount > numbers.max else numbers.max

if other_width:
    line = pack.short((table.delimiter or ",").join(other_row), 80)
    example = f"row {other_place} with {len(other_row)} cells: {line}"
    odd = f"{other_width} of {rows_seen} rows have another number of cells than the header, which has {width}"
    if uses_cells and other_width * 100 > LEFT_OUT_PERCENT_MAX * rows_seen:
        cause = "a number with a comma that is not quoted" if table.delimiter == "," else "a delimiter inside a cell"
        cause = cause if len(other_row) > width else "a line that is cut short"
        raise ValueError(f"{table.file}: {odd}, first {example}; likely the cause is {cause}; nothing was added up")
    left_out.append(f"{odd}; they are {'left out' if uses_cells else 'counted'}, first {example}")

for place, (name, notation) in enumerate(zip(names, notations)):
    counted = sum(group.numbers[place].count for group in groups.values())
    if not counted and groups and not notation.example and any(group.rows for group in groups.values()):
        raise ValueError(f"{table.file}: column {name} holds no values; every cell of it is empty")
    if not notation.wrong and not notation.missing:
        continue
    if not counted:
        raise ValueError(f"{table.file}: column {name} holds no numbers, but for example {notation.example}")
    there = counted + notation.wrong
    if notation.wrong * 100 > LEFT_OUT_PERCENT_MAX * there:
        wrong = f"{notation.wrong} of {there} values of {name} are no numbers like the others"
        raise ValueError(f"{table.file}: {wrong}, for example {notation.example}; nothing was added up")
    measures = " and ".join(measure for measure, column in asked.items() if column == name)
    values = f"{counted} of {there + notation.missing} values of {name}"
    left_out.append(f"{measures} of {values}; left out is for example {notation.example}")

measure = next(iter(asked), "rows")
sign = 1 if order == "ascending" else -1


def rank(group):
    """The greatest first unless asked otherwise; a group without any number comes last either way."""
    return group[measure] is None, sign * (group[measure] or 0), group.get("group", "")


told = (group.told(key) for key, group in groups.items())
# What the answer does not hold, and what it takes for granted, comes first.
result = {}
if left_out:
    result["left_out"] = ". ".join(left_out)
assumed = [notation for notation in notations if notation.assumed]
if assumed:
    read = [f"{one.name}: {one.assumed.strip()} is read as {pack.whole(one.number(one.assumed))}" for one in assumed]
    result["assumed"] = ". ".join(read)
result |= {"file": table.file, "columns": asked, "groups": heapq.nsmallest(limit, told, key=rank)}
if len(groups) > len(result["groups"]):
    result["groups_not_shown"] = len(groups) - len(result["groups"])
units = {notation.name: notation.unit for notation in notations if notation.unit}
if units:
    result["units"] = units
