# row: G09
# outcome: memory_limit
# flags: --memory-mib 128
# about: a dictionary that grows must meet the memory limit, also in the middle of its own resizing
table = {}
while True:
    table[len(table)] = None
