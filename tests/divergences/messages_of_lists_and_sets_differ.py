# cpython: "[1].remove(2): ValueError: list.remove(x): x not in list\n[1].index(3): ValueError: 3 is not in list\n[] + (): TypeError: can only concatenate list (not \"tuple\") to list\n{1, []}: TypeError: unhashable type: 'list'\nmax([]): ValueError: max() arg is an empty sequence\nraise 'text': TypeError: exceptions must derive from BaseException\na, b = 1, 2, 3: ValueError: too many values to unpack (expected 2)\ndict([1]): TypeError: cannot convert dictionary update sequence element #0 to a sequence\n"
# intentbox: "[1].remove(2): ValueError: '2' is not in list\n[1].index(3): ValueError: '3' is not in list\n[] + (): TypeError: Cannot add list and tuple\n{1, []}: TypeError: cannot use 'list' as a set element (unhashable type: 'list')\nmax([]): ValueError: max() iterable argument is empty\nraise 'text': TypeError: exceptions must be classes or instances deriving from BaseException, not str\na, b = 1, 2, 3: ValueError: too many values to unpack (expected 2, got 3)\ndict([1]): TypeError: object is not iterable\n"
for code in ("[1].remove(2)", "[1].index(3)", "[] + ()", "{1, []}", "max([])", "raise 'text'", "a, b = 1, 2, 3", "dict([1])"):
    try:
        exec(code)
    except Exception as error:
        print(f"{code}: {type(error).__name__}: {error}")
