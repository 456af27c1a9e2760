def numbers(limit):
    print("start")
    for n in range(limit):
        yield n
    return "finished"
g = numbers(2)
print("made")
print(next(g), next(g))
try:
    next(g)
except StopIteration as stop:
    print("value:", stop.value)
def chain(*iterables):
    results = []
    for it in iterables:
        results.append((yield from it))
    return results
def outer():
    result = yield from chain(numbers(1), "ab")
    print("results", result)
print(list(outer()))
def read(lines):
    for line in lines:
        line = line.strip()
        if line and not line.startswith("#"):
            yield line
def pairs(lines):
    for line in lines:
        key, _, value = line.partition("=")
        yield key, value
print(dict(pairs(read(["a=1", "# no", "", " b=2 "]))))
