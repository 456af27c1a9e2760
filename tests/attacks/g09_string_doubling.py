# row: G09
# outcome: memory_limit
# flags: --memory-mib 128
# about: doubling text must meet the memory limit
text = "x"
while True:
    text += text
