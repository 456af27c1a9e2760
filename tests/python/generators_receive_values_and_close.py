def average():
    total = count = 0
    value = None
    try:
        while True:
            value = yield (total / count if count else None)
            total += value
            count += 1
    except GeneratorExit:
        print("closed after", count)
    finally:
        print("cleanup")
g = average()
next(g)
print(g.send(10), g.send(20))
g.close()
def tolerant():
    while True:
        try:
            yield "ok"
        except ValueError as error:
            yield f"caught {error}"
t = tolerant()
print(next(t), t.throw(ValueError("bad")), next(t))
def broken():
    yield 1
    raise StopIteration("inside")
try:
    list(broken())
except RuntimeError as error:
    print(error)
try:
    g.send(1)
except StopIteration:
    print("exhausted")
class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self):
        while self.n:
            yield self.n
            self.n -= 1
print(list(Countdown(3)), sum(Countdown(4)))
