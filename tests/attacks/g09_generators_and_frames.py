# row: G09
# outcome: memory_limit
# flags: --memory-mib 80
# about: suspended generators keep frames, which must count
def suspended(depth):
    big = list(range(100))
    yield big


hoard = []
while True:
    generator = suspended(len(hoard))
    next(generator)
    hoard.append(generator)
