import random
rng = random.Random(42)
print(rng.random(), rng.randint(1, 100), rng.choice("abcdef"), rng.sample(range(50), 5), rng.uniform(1, 2))
deck = list(range(10))
rng.shuffle(deck)
print(deck, rng.choices(["a", "b", "c"], weights=[5, 1, 1], k=6), rng.gauss(0, 1), rng.randrange(0, 100, 5))
print(rng.getrandbits(70), rng.expovariate(2), round(rng.betavariate(1, 2), 12), rng.normalvariate(5, 1), rng.triangular(0, 1, 0.5))
random.seed("text")
first = [random.random() for _ in range(2)]
random.seed("text")
print(first == [random.random() for _ in range(2)], first)
state = random.getstate()
a = random.random()
random.setstate(state)
print(a == random.random(), random.Random(1.5).randint(0, 9), random.Random(b"x").random())
try:
    rng.sample([1, 2], 3)
except ValueError as error:
    print(error)
try:
    rng.choice([])
except IndexError:
    print("IndexError")
