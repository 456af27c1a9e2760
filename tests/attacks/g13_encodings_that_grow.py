# row: G13
# outcome: memory_limit
# flags: --memory-mib 128 --fuel 10000000000
# about: escapes of escapes grow by a factor each time
text = "\U0010ffff" * 1000
while True:
    text = text.encode("unicode_escape").decode("latin-1").replace("\\", "\\\\" * 8)
