line = "  Name:  Ada Lovelace , born 1815  \n"
print(repr(line.strip()), line.split(), line.strip().split(":", 1))
print("a,b,,c".split(","), "a,b,,c".rsplit(",", 1), "one\ntwo\r\nthree".splitlines(), " ".split(), "".split(","))
print("key=value=x".partition("="), "path/to/file".rpartition("/"), "none".partition("="))
print("-".join(["a", "b"]), "abc".center(9, "*"), "7".zfill(3), "-7".zfill(4), "x".ljust(3) + "|", "x".rjust(3))
print("Hello World".swapcase(), "hello world".title(), "hELLO".capitalize(), "ß".casefold(), "ß".upper())
print("file.tar.gz".removesuffix(".gz"), "test_name".removeprefix("test_"), "xxabcxx".strip("x"))
print("banana".count("an"), "banana".find("na"), "banana".rfind("na"), "banana".replace("a", "o", 2))
print("abc".translate(str.maketrans({"a": "1", "b": None})), "a\tb".expandtabs(4))
print("abc".isalpha(), "123".isdigit(), "½".isnumeric(), "_x1".isidentifier(), " ".isspace(), "Ab".istitle())
print("prefix-rest".startswith(("pre", "suf")), "x.py".endswith((".py", ".rs")))
try:
    "abc".index("z")
except ValueError as error:
    print(error)
