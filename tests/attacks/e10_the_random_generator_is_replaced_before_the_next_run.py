# row: E10
# outcome: ok
# result: [0.5, 4]
# about: a script may fix its own randomness; fresh randomness is given to each run natively
import os, random, secrets

random.random = lambda: 0.5
random._inst = random.Random(1)
os.urandom = lambda n: b"4" * n
random._inst.seed = None
secrets.randbelow = lambda n: 4
result = [random.random(), secrets.randbelow(9)]
