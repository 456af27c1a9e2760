# row: G12
# outcome: memory_limit
# flags: --memory-mib 128
# about: a format string that doubles itself must meet the memory limit
text = "{0}"
for _ in range(60):
    text = text.format("{0}{0}" * 4)
