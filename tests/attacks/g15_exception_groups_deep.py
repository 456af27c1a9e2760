# row: G15
# outcome: ok stack_overflow
# about: exception groups nested 50,000 times, split, printed and raised
group = ExceptionGroup("g", [ValueError("inner")])
for _ in range(50_000):
    group = ExceptionGroup("g", [group])
for act in (lambda: group.split(ValueError), lambda: group.subgroup(lambda e: False), lambda: repr(group), lambda: str(group)):
    try:
        act()
    except RecursionError:
        pass
raise group
