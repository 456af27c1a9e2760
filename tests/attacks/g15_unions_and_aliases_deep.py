# row: G15
# outcome: ok stack_overflow
# about: generic aliases nested 40,000 times, printed, hashed, compared
alias = list[int]
for _ in range(40_000):
    alias = list[alias]
for act in (lambda: repr(alias), lambda: hash(alias), lambda: alias == list[int], lambda: alias | None, lambda: alias.__parameters__):
    try:
        act()
    except (RecursionError, TypeError):
        pass
result = "raised"
