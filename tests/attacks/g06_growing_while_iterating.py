# row: G06
# outcome: fuel_exhausted
# flags: --fuel 3000000000
# about: a list that grows under its own extend must meet a limit
items = [1]
items.extend(items.append(1) or 1 for _ in items)
