def check(values):
    errors = []
    for v in values:
        try:
            int(v)
        except (ValueError, TypeError) as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("invalid values", errors)
try:
    check(["1", "x", None, "y"])
except* ValueError as group:
    print("values", len(group.exceptions), group.message)
except* TypeError as group:
    print("types", [type(e).__name__ for e in group.exceptions])
group = ExceptionGroup("outer", [ValueError("v"), ExceptionGroup("inner", [KeyError("k"), OSError("o")])])
match, rest = group.split(KeyError)
print(match.exceptions[0].exceptions, len(rest.exceptions))
print(group.subgroup(lambda e: isinstance(e, OSError)).exceptions[0].exceptions[0])
print(str(group))
try:
    try:
        raise group
    except* OSError:
        print("os handled")
except ExceptionGroup as left:
    print([type(e).__name__ for e in left.exceptions])
