# row: G09
# outcome: memory_limit
# flags: --memory-mib 80
# about: a list of small objects must meet the memory limit
hoard = []
while True:
    hoard.append(object())
