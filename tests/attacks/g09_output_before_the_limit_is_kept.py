# row: G09
# outcome: memory_limit
# flags: --memory-mib 64
# about: what was printed before memory ran out is in the report; the limit does not lose it
print("before")
hoard = []
while True:
    hoard.append("y" * 100_000 + str(len(hoard)))
